package arrivals

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// metadataKey is the metadata of the samples of the requests that can be the first of an iteration.
const metadataKey = "due"

// origin has a monotonic clock reading: due times do not depend on a clock that is set.
var origin = time.Now()

// Slot is the due time of a VU's iteration, from its start to its first request.
type Slot struct {
	vu      uint64
	pending atomic.Int64 // nanoseconds after origin; 0 if none
	stamped atomic.Bool
}

var (
	slots  sync.Map // by the VU's number
	starts atomic.Uint64
)

// SlotOf returns the slot of a VU.
func SlotOf(vu uint64) *Slot {
	if found, ok := slots.Load(vu); ok {
		return found.(*Slot)
	}
	found, _ := slots.LoadOrStore(vu, &Slot{vu: vu})
	return found.(*Slot)
}

func (s *Slot) set(due time.Time) { s.pending.Store(int64(due.Sub(origin))) }

func (s *Slot) clear() { s.pending.Store(0) }

// Stamp adds the start to the metadata of the next request. Call it before k6 reads the metadata.
func (s *Slot) Stamp(tags *lib.VUStateTags) {
	if s.pending.Load() == 0 {
		return
	}
	text := fmt.Sprint(s.vu, starts.Add(1), s.pending.Swap(0))
	s.stamped.Store(true)
	tags.Modify(func(current *metrics.TagsAndMeta) { current.SetMetadata(metadataKey, text) })
}

// ClearStamp removes it, once k6 has read it. Redirects, and requests that the client starts together, all carry it.
func (s *Slot) ClearStamp(tags *lib.VUStateTags) {
	if !s.stamped.Load() || !s.stamped.Swap(false) {
		return
	}
	tags.Modify(func(current *metrics.TagsAndMeta) { current.DeleteMetadata(metadataKey) })
}

// Start is that of an iteration of this executor.
type Start struct {
	VU     uint64
	Number uint64 // rises with the starts of a VU
	Due    time.Time
}

// ReadStart reads the metadata of the samples of a request. One without a start is not the first of an iteration.
func ReadStart(metadata map[string]string) (start Start, found bool) {
	text, found := metadata[metadataKey]
	if !found {
		return Start{}, false
	}
	var due int64
	_, err := fmt.Sscan(text, &start.VU, &start.Number, &due)
	start.Due = origin.Add(time.Duration(due))
	return start, err == nil
}
