package series

import (
	"math"
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"
)

// fold aggregates samples by time series and second.
type fold struct {
	cells    map[cellKey]*cell
	requests map[requestKey][]metricCell
	started  map[uint64]uint64 // the last iteration of which a request was counted, by VU
	traces   traces
	samples  uint64
	rejected uint64
}

type cellKey struct {
	series metrics.TimeSeries
	second int64
}

// cell aggregates one second of one series.
type cell struct {
	count         uint64
	sum, min, max float64
	last          float64
	lastTime      time.Time
	zero          uint64
	buckets       buckets
	negative      buckets
}

func newFold() *fold {
	return &fold{
		cells: map[cellKey]*cell{}, requests: map[requestKey][]metricCell{}, started: map[uint64]uint64{}, traces: newTraces(),
	}
}

func (f *fold) add(containers []metrics.SampleContainer) {
	for _, container := range containers {
		if trail, ok := container.(*httpext.Trail); ok {
			f.addRequest(trail)
			continue
		}
		for _, sample := range container.GetSamples() {
			f.addSample(sample)
		}
	}
}

// Scripts can add any number to a metric, but no JSON number is infinite, and readers have buckets only for a range.
func (f *fold) addSample(sample metrics.Sample) {
	value := sample.Value
	if math.IsInf(value, 0) || math.IsNaN(value) || sample.Metric.Type == metrics.Trend && !hasBucket(value) {
		f.rejected++
		return
	}
	f.cellOf(cellKey{sample.TimeSeries, sample.Time.Unix()}).add(sample)
	f.samples++
}

func (f *fold) cellOf(key cellKey) *cell {
	c := f.cells[key]
	if c == nil {
		c = &cell{min: math.Inf(1), max: math.Inf(-1), buckets: buckets{}}
		f.cells[key] = c
	}
	return c
}

func (c *cell) add(sample metrics.Sample) {
	value := sample.Value
	c.count++
	switch sample.Metric.Type {
	case metrics.Rate:
		if value != 0 { // like k6's own rate
			c.sum++
		}
		return
	case metrics.Trend:
		c.addToHistogram(value)
	case metrics.Gauge:
		if !sample.Time.Before(c.lastTime) {
			c.last, c.lastTime = value, sample.Time
		}
	}
	c.sum += value
	c.min = min(c.min, value)
	c.max = max(c.max, value)
}

func (c *cell) addToHistogram(value float64) {
	switch {
	case value > 0:
		c.buckets.add(bucketIndex(value))
	case value < 0:
		c.negative.add(bucketIndex(-value))
	default:
		c.zero++
	}
}

// takeBefore encodes and removes all seconds before the given one.
func (f *fold) takeBefore(second int64) []byte {
	taken := map[cellKey]*cell{}
	for key, c := range f.cells {
		if key.second < second {
			taken[key] = c
			delete(f.cells, key)
		}
	}
	for key := range f.requests {
		if key.second < second {
			delete(f.requests, key)
		}
	}
	return sortLines(append(encodeCells(taken), f.takeSlowest(second)...))
}

func (f *fold) takeAll() []byte { return f.takeBefore(math.MaxInt64) }
