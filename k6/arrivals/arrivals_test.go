package arrivals

import (
	"strings"
	"testing"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

func TestEachMistakeIsExplained(t *testing.T) {
	const valid = `"arrivals":"even","stages":[{"seconds":1,"from":1,"to":2}],"vus":1`
	for text, want := range map[string]string{
		`{` + valid + `}`: "",
		`{"arrivals":"often","stages":[{"seconds":1,"from":1,"to":2}],"vus":1}`:   `arrivals must be "even", "poisson" or "trace", but is "often"`,
		`{"arrivals":"even","vus":1}`:                                             "at least one stage must be given",
		`{"arrivals":"even","stages":[{"seconds":0,"from":1,"to":2}],"vus":1}`:    "stage 1 must last more than 0 seconds, but lasts 0",
		`{"arrivals":"even","stages":[{"seconds":1,"from":-1,"to":2e6}],"vus":1}`: "the rates of stage 1 must be from 0 to 1000000, but are -1 and 2e+06",
		`{"arrivals":"trace","stages":[{"seconds":1,"from":1,"to":2}],"vus":1}`:   `arrivals "trace" need a file, and others have none`,
		`{"arrivals":"even","stages":[{"seconds":1,"from":1,"to":2}]}`:            "vus must be more than 0, but is 0",
		`{` + valid + `,"maxVUs":-1}`:                                             "maxVUs must be at least vus (1), but is -1",
		`{` + valid + `,"startTime":"-1s"}`:                                       "the startTime can't be negative",
	} {
		config, err := lib.GetParsedExecutorConfig("load", executorType, []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for _, err := range config.Validate() {
			got = append(got, err.Error())
		}
		if all := strings.Join(got, "; "); all != want && !strings.HasPrefix(all, want+";") {
			t.Errorf("%s: %q", text, all)
		}
	}
	if _, err := lib.GetParsedExecutorConfig("load", executorType, []byte(`{"rate":1}`)); err == nil {
		t.Error("an unknown field is ignored")
	}
}

// Each VU has its slot; only the requests that k6 reads before the first one is sent carry the start.
func TestAStartIsForTheFirstRequests(t *testing.T) {
	tags := lib.NewVUStateTags(metrics.NewRegistry().RootTagSet())
	read := func() (Start, bool) { return ReadStart(tags.GetCurrentValues().Metadata) }
	slot, want := SlotOf(7), origin.Add(1234)
	if SlotOf(7) != slot || SlotOf(8) == slot {
		t.Fatal("slots are not per VU")
	}
	slot.set(want)
	slot.Stamp(tags)
	first, found := read()
	if !found || !first.Due.Equal(want) || first.VU != 7 {
		t.Errorf("got %v, %t", first, found)
	}
	slot.ClearStamp(tags)
	slot.Stamp(tags)
	if _, found := read(); found {
		t.Error("a later request has a start too")
	}
	slot.set(want) // planned for the same time
	slot.Stamp(tags)
	if second, _ := read(); second.Number <= first.Number {
		t.Errorf("start %d, then %d", first.Number, second.Number)
	}
	slot.ClearStamp(tags)
	slot.set(want)
	slot.clear()
	slot.Stamp(tags)
	if _, found := read(); found {
		t.Error("a VU that was returned still has a start")
	}
}
