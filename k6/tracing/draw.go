// Package tracing chooses the requests of a load that carry a W3C `traceparent`, and keeps what the target said of them
// until their samples arrive.
package tracing

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
)

// Variable is the environment variable with the share of requests that are traced, from 0 (the default) to 1.
const Variable = "K6_TRACE_SHARE"

// MetadataKey is the metadata of the samples of a traced request. Its value is the trace id.
const MetadataKey = "trace_id"

// Header is the request header. https://www.w3.org/TR/trace-context/#traceparent-header
const Header = "Traceparent"

// ParseShare reads the value of Variable.
func ParseShare(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, fmt.Errorf("%s must be a number from 0 to 1, not %q", Variable, text)
	}
	return share, nil
}

// Draws chooses the requests of one VU. Which of its requests are traced depends only on the VU's number: not on their
// routes, so that a client that repeats a few requests in order is sampled evenly.
type Draws struct {
	share  float64
	random *rand.Rand
}

func NewDraws(share float64, vu uint64) *Draws {
	return &Draws{share, rand.New(rand.NewPCG(vu, 1))}
}

// Next reports whether the next request is traced.
func (d *Draws) Next() bool { return d.random.Float64() < d.share }

// Trace is one traced request.
type Trace struct {
	id     [2]uint64
	span   uint64
	isSent atomic.Bool
}

// New draws the ids. They do not repeat from run to run, because targets keep the traces of many runs.
func New() *Trace {
	// An id of zeros is invalid.
	return &Trace{id: [2]uint64{rand.Uint64() | 1, rand.Uint64()}, span: rand.Uint64() | 1}
}

// ID is the trace id as targets show it.
func (t *Trace) ID() string { return fmt.Sprintf("%016x%016x", t.id[0], t.id[1]) }

// Parent is the value of the header: version 00, with the flag that the trace is recorded.
func (t *Trace) Parent() string { return fmt.Sprintf("00-%s-%016x-01", t.ID(), t.span) }

// Take returns true once: a redirect or a repeated request is not another request of the trace.
func (t *Trace) Take() bool { return !t.isSent.Swap(true) }

var (
	finished sync.Map // of []Part by trace id
	kept     atomic.Int64
)

// keptMax bounds the traces whose samples never arrive.
const keptMax = 10_000

// Finish keeps what the target said of a traced request, until TakeParts.
func Finish(id string, parts []Part) {
	if kept.Add(1) > keptMax {
		kept.Add(-1)
		return
	}
	finished.Store(id, parts)
}

// TakeParts returns what the target said of the request with this metadata, and whether it is traced.
func TakeParts(metadata map[string]string) (id string, parts []Part, isTraced bool) {
	id, marked := metadata[MetadataKey]
	if !marked {
		return "", nil, false
	}
	found, isTraced := finished.LoadAndDelete(id)
	if !isTraced {
		return "", nil, false
	}
	kept.Add(-1)
	return id, found.([]Part), true
}
