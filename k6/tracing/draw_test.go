package tracing

import (
	"regexp"
	"testing"
)

func TestATraceParentIsValid(t *testing.T) {
	valid := regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-01$`)
	seen := map[string]bool{}
	for range 1000 {
		trace := New()
		match := valid.FindStringSubmatch(trace.Parent())
		if match == nil || match[1] != trace.ID() || seen[trace.ID()] {
			t.Fatal(trace.Parent())
		}
		seen[trace.ID()] = true
	}
	if zero := (&Trace{span: 1}).Parent(); zero != "00-00000000000000000000000000000000-0000000000000001-01" {
		t.Error(zero)
	}
}

func TestTheRequestsThatAreTracedDependOnTheVUAlone(t *testing.T) {
	draw := func(vu uint64) (drawn []int) {
		draws := NewDraws(0.02, vu)
		for request := range 10_000 {
			if draws.Next() {
				drawn = append(drawn, request)
			}
		}
		return drawn
	}
	first := draw(1)
	if len(first) < 150 || len(first) > 250 {
		t.Errorf("%d of 10,000 requests", len(first))
	}
	if again := draw(1); len(again) != len(first) || again[0] != first[0] {
		t.Error("not the same ones again")
	}
	if other := draw(2); other[0] == first[0] && other[1] == first[1] {
		t.Error("the same ones of another VU")
	}
}

func TestNoneOrAllAreTraced(t *testing.T) {
	none, all := NewDraws(0, 1), NewDraws(1, 1)
	for range 1000 {
		if none.Next() || !all.Next() {
			t.Fatal("drawn otherwise")
		}
	}
}

func TestAShareIsANumberFromZeroToOne(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "0": 0, "0.02": 0.02, "1": 1} {
		if share, err := ParseShare(text); share != want || err != nil {
			t.Errorf("%q: %g, %v", text, share, err)
		}
	}
	for _, text := range []string{"-0.1", "1.1", "NaN", "all"} {
		want := `K6_TRACE_SHARE must be a number from 0 to 1, not "` + text + `"`
		if _, err := ParseShare(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWhatTheTargetSaidIsTakenOnce(t *testing.T) {
	metadata := map[string]string{MetadataKey: "a"}
	if _, _, isTraced := TakeParts(metadata); isTraced {
		t.Error("before it finished")
	}
	Finish("a", []Part{{"db", 2}})
	if id, parts, isTraced := TakeParts(metadata); id != "a" || len(parts) != 1 || !isTraced {
		t.Error(id, parts, isTraced)
	}
	if _, _, isTraced := TakeParts(metadata); isTraced {
		t.Error("twice")
	}
	if _, _, isTraced := TakeParts(nil); isTraced {
		t.Error("without metadata")
	}
}

func TestTracesWhoseSamplesNeverArriveAreBounded(t *testing.T) {
	for range 2 * keptMax {
		Finish(New().ID(), nil)
	}
	held := 0
	finished.Range(func(key, _ any) bool {
		held++
		finished.Delete(key)
		return true
	})
	if held != keptMax || kept.Load() != keptMax {
		t.Errorf("%d are held, %d are counted", held, kept.Load())
	}
	kept.Store(0)
}
