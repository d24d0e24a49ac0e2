package series

import (
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"breakwater/k6/arrivals"
	"breakwater/k6/tracing"
)

// Metrics that k6 does not have.
var (
	sinceDue = &metrics.Metric{Name: "http_req_since_due", Type: metrics.Trend, Contains: metrics.Time}
	lateness = &metrics.Metric{Name: "http_req_lateness", Type: metrics.Trend, Contains: metrics.Time}
)

// requestKey finds the cells of all samples of a request with one look-up instead of ten: they have the same tags and time.
type requestKey struct {
	tags   *metrics.TagSet
	second int64
}

type metricCell struct {
	metric *metrics.Metric
	cell   *cell
}

// addRequest adds k6's samples of a request and the times from when it was due. Only the first request of an iteration
// of an arrivals executor has a due time; the others are due when they start, which is before k6 has a connection for them.
func (f *fold) addRequest(trail *httpext.Trail) {
	key := requestKey{trail.Tags, trail.EndTime.Unix()}
	known := f.requests[key]
	place := 0
	add := func(metric *metrics.Metric, value float64) {
		for place < len(known) && known[place].metric != metric {
			place++
		}
		if place == len(known) {
			series := metrics.TimeSeries{Metric: metric, Tags: trail.Tags}
			known = append(known, metricCell{metric, f.cellOf(cellKey{series, key.second})})
			f.requests[key] = known
		}
		known[place].cell.add(metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: trail.Tags}, Time: trail.EndTime, Value: value,
		})
		f.samples++
		place++
	}
	for _, sample := range trail.Samples {
		add(sample.Metric, sample.Value)
	}
	took, late, isDue := timesOf(trail)
	add(sinceDue, metrics.D(took))
	if isDue {
		add(lateness, metrics.D(late))
	}
	if id, parts, isTraced := tracing.TakeParts(trail.Metadata); isTraced {
		f.addTrace(trail, id, parts)
	}
}

func timesOf(trail *httpext.Trail) (took, late time.Duration, isDue bool) {
	if trail.Duration == 0 { // no connection, so no response: k6's own times are 0 too
		return 0, 0, false
	}
	took = max(trail.Blocked, trail.ConnDuration) + trail.Duration
	due, isDue := arrivals.Due(trail.Metadata)
	if isDue {
		late = max(0, trail.EndTime.Sub(due)-took)
	}
	return took + late, late, isDue
}
