package arrivals

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// metadataKey is the metadata of the samples of a request that an iteration was due for.
const metadataKey = "due"

// origin has a monotonic clock reading: due times do not depend on a clock that is set.
var origin = time.Now()

// Slot is the due time of a VU's iteration, from its start to its first request.
type Slot struct {
	pending atomic.Int64 // nanoseconds after origin; 0 if none
	stamped atomic.Bool
}

var slots sync.Map // by the VU's number

// SlotOf returns the slot of a VU.
func SlotOf(vu uint64) *Slot {
	if found, ok := slots.Load(vu); ok {
		return found.(*Slot)
	}
	found, _ := slots.LoadOrStore(vu, &Slot{})
	return found.(*Slot)
}

func (s *Slot) set(due time.Time) { s.pending.Store(int64(due.Sub(origin))) }

func (s *Slot) clear() { s.pending.Store(0) }

// Stamp adds the due time to the metadata of the next request. Call it before k6 reads the metadata.
func (s *Slot) Stamp(tags *lib.VUStateTags) {
	if s.pending.Load() == 0 {
		return
	}
	due := s.pending.Swap(0)
	s.stamped.Store(true)
	tags.Modify(func(current *metrics.TagsAndMeta) { current.SetMetadata(metadataKey, strconv.FormatInt(due, 10)) })
}

// ClearStamp removes it, once k6 has read it. Requests that the client starts together all carry it.
func (s *Slot) ClearStamp(tags *lib.VUStateTags) {
	if !s.stamped.Load() || !s.stamped.Swap(false) {
		return
	}
	tags.Modify(func(current *metrics.TagsAndMeta) { current.DeleteMetadata(metadataKey) })
}

// Due returns when a request was due, by the metadata of its samples. A request without is not the first of an iteration of
// this executor.
func Due(metadata map[string]string) (time.Time, bool) {
	text, found := metadata[metadataKey]
	if !found {
		return time.Time{}, false
	}
	due, err := strconv.ParseInt(text, 10, 64)
	return origin.Add(time.Duration(due)), err == nil
}
