package series

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"
)

// Requests in any order, of several routes and seconds, with and without a judgement of failure.
func TestSamplesOfRequestsAreCountedLikeOthers(t *testing.T) {
	registry := metrics.NewRegistry()
	builtin := metrics.RegisterBuiltinMetrics(registry)
	random := rand.New(rand.NewPCG(1, 2))
	together, single := newFold(), newFold()
	for range 2000 {
		tags := registry.RootTagSet().With("name", fmt.Sprint("GET /", random.IntN(3)))
		trail := &httpext.Trail{
			EndTime: at(time.Duration(random.IntN(4000)) * time.Millisecond),
			Blocked: time.Duration(random.IntN(5)) * time.Millisecond, Duration: time.Duration(random.IntN(50)) * time.Millisecond,
		}
		trail.SaveSamples(builtin, &metrics.TagsAndMeta{Tags: tags})
		if random.IntN(2) == 0 {
			failed := metrics.TimeSeries{Metric: builtin.HTTPReqFailed, Tags: tags}
			trail.Samples = append(trail.Samples, metrics.Sample{TimeSeries: failed, Time: trail.EndTime, Value: float64(random.IntN(2))})
		}
		together.add([]metrics.SampleContainer{trail})
		single.add([]metrics.SampleContainer{metrics.Samples(trail.Samples)})
		if random.IntN(100) == 0 {
			second := at(time.Duration(random.IntN(4)) * time.Second).Unix()
			mustBeEqual(t, together.takeBefore(second), single.takeBefore(second))
		}
	}
	mustBeEqual(t, together.takeAll(), single.takeAll())
	if len(together.requests) != 0 {
		t.Errorf("%d requests are kept", len(together.requests))
	}
}

// mustBeEqual ignores the metrics that k6 does not have.
func mustBeEqual(t *testing.T, together, single []byte) {
	t.Helper()
	var lines [][]byte
	for _, line := range bytes.SplitAfter(together, []byte("\n")) {
		if !bytes.Contains(line, []byte(sinceDue.Name)) {
			lines = append(lines, line)
		}
	}
	if got := bytes.Join(lines, nil); !bytes.Equal(got, single) {
		t.Fatalf("got\n%s\nwant\n%s", got, single)
	}
}
