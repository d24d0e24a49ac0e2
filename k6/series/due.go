package series

import (
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"breakwater/k6/arrivals"
)

// Metrics that k6 does not have.
var (
	sinceDue = &metrics.Metric{Name: "http_req_since_due", Type: metrics.Trend, Contains: metrics.Time}
	lateness = &metrics.Metric{Name: "http_req_lateness", Type: metrics.Trend, Contains: metrics.Time}
)

// addTimes adds the time of a request from when it was due. Only the first request of an iteration of an arrivals executor has
// a due time; the others are due when they start, which is before k6 has a connection for them.
func (f *fold) addTimes(trail *httpext.Trail) {
	if trail.Duration == 0 { // no connection, so no response: k6's own times are 0 too
		f.addTime(sinceDue, trail, 0)
		return
	}
	took := max(trail.Blocked, trail.ConnDuration) + trail.Duration
	if due, found := arrivals.Due(trail.Metadata); found {
		late := max(0, trail.EndTime.Sub(due)-took)
		took += late
		f.addTime(lateness, trail, late)
	}
	f.addTime(sinceDue, trail, took)
}

func (f *fold) addTime(metric *metrics.Metric, trail *httpext.Trail, took time.Duration) {
	series := metrics.TimeSeries{Metric: metric, Tags: trail.Tags}
	f.addSample(metrics.Sample{TimeSeries: series, Time: trail.EndTime, Value: metrics.D(took)})
}
