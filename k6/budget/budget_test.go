package budget

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestTakesUpToTheMostAndNoFurther(t *testing.T) {
	b := New()
	for range 3 {
		if !b.Take("probes", 1, 3) {
			t.Fatal("refused what was left")
		}
	}
	if b.Take("probes", 1, 3) || b.Taken("probes") != 3 {
		t.Fatalf("took beyond the most: %d", b.Taken("probes"))
	}
	if !b.Take("probes", 1, 4) {
		t.Fatal("refused one with more to take")
	}
}

func TestTakesAllOrNothing(t *testing.T) {
	b := New()
	if b.Take("probes", 5, 4) || b.Taken("probes") != 0 {
		t.Fatalf("took a part: %d", b.Taken("probes"))
	}
}

func TestBudgetsOfOtherNamesAreOthers(t *testing.T) {
	b := New()
	b.Take("probes", 4, 4)
	if !b.Take("load", 1, 1) || b.Taken("load") != 1 {
		t.Fatal("the load had nothing left")
	}
}

func TestVUsThatTakeAtOnceGetNoMoreTogether(t *testing.T) {
	const vus, tries, most = 16, 1000, 5000
	b := New()
	var got atomic.Int64
	var group sync.WaitGroup
	for range vus {
		take := b.NewModuleInstance(nil).Exports().Named["take"].(func(string, int64, int64) bool)
		group.Add(1)
		go func() {
			defer group.Done()
			for range tries {
				if take("probes", 1, most) {
					got.Add(1)
				}
			}
		}()
	}
	group.Wait()
	if got.Load() != most || b.Taken("probes") != most {
		t.Fatalf("%d of %d were taken", got.Load(), most)
	}
}
