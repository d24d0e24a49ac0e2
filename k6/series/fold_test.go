package series

import (
	"math"
	"testing"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// at returns a time within the second 1767323045.
func at(offset time.Duration) time.Time { return time.Unix(1767323045, 0).Add(offset) }

func newSample(metric *metrics.Metric, tags *metrics.TagSet, time time.Time, value float64) metrics.Sample {
	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: time, Value: value}
}

func TestEachTypeOfMetricHasItsLine(t *testing.T) {
	registry := metrics.NewRegistry()
	none := registry.RootTagSet()
	cases := map[string]struct {
		metric *metrics.Metric
		tags   *metrics.TagSet
		values []float64
		line   string
	}{
		"counter": {
			registry.MustNewMetric("data_sent", metrics.Counter, metrics.Data), none, []float64{100, 250},
			`{"time":1767323045,"metric":"data_sent","type":"counter","contains":"data","tags":{},"count":2,"sum":350}`,
		},
		"rate": {
			registry.MustNewMetric("checks", metrics.Rate), none.With("check", "is up"), []float64{1, 0, 1},
			`{"time":1767323045,"metric":"checks","type":"rate","contains":"default","tags":{"check":"is up"},"count":3,"sum":2}`,
		},
		"gauge": {
			registry.MustNewMetric("vus", metrics.Gauge), none, []float64{4, 9, 2, 5},
			`{"time":1767323045,"metric":"vus","type":"gauge","contains":"default","tags":{},"count":4,"sum":20,"min":2,"max":9,"last":5}`,
		},
		"trend": {
			registry.MustNewMetric("wait", metrics.Trend, metrics.Time), none.With("name", "GET /pools").With("method", "GET"),
			[]float64{2, 0, 1, 1.5, 2},
			`{"time":1767323045,"metric":"wait","type":"trend","contains":"time","tags":{"method":"GET","name":"GET /pools"},` +
				`"count":5,"sum":6.5,"min":0,"max":2,"zero":1,"buckets":[[-1,1],[74,1],[127,2]]}`,
		},
		"trend of nothing but zeros": {
			registry.MustNewMetric("blocked", metrics.Trend, metrics.Time), none, []float64{0, 0},
			`{"time":1767323045,"metric":"blocked","type":"trend","contains":"time","tags":{},"count":2,"sum":0,"min":0,"max":0,"zero":2,"buckets":[]}`,
		},
		"trend below zero": {
			registry.MustNewMetric("skew", metrics.Trend), none, []float64{-4, 4, -4},
			`{"time":1767323045,"metric":"skew","type":"trend","contains":"default","tags":{},` +
				`"count":3,"sum":-4,"min":-4,"max":4,"zero":0,"buckets":[[255,1]],"negative":[[255,2]]}`,
		},
		"sum beyond the largest float": {
			registry.MustNewMetric("vast", metrics.Counter), none, []float64{math.MaxFloat64, math.MaxFloat64},
			`{"time":1767323045,"metric":"vast","type":"counter","contains":"default","tags":{},"count":2,"sum":1.7976931348623157e+308}`,
		},
		"tag of hostile text": {
			registry.MustNewMetric("hits", metrics.Counter), none.With("name", "<b>\"\n\u202e\xff"), []float64{1},
			`{"time":1767323045,"metric":"hits","type":"counter","contains":"default","tags":{"name":"<b>\"\n` + "\u202e" + `\ufffd"},"count":1,"sum":1}`,
		},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFold()
			for i, value := range want.values {
				f.addSample(newSample(want.metric, want.tags, at(time.Duration(i)*time.Millisecond), value))
			}
			if got := string(f.takeAll()); got != want.line+"\n" {
				t.Errorf("got  %s\nwant %s", got, want.line)
			}
		})
	}
}

func TestAGaugeEndsWithItsLatestSampleWhateverTheirOrder(t *testing.T) {
	registry := metrics.NewRegistry()
	vus := registry.MustNewMetric("vus", metrics.Gauge)
	f := newFold()
	f.addSample(newSample(vus, registry.RootTagSet(), at(2*time.Millisecond), 8))
	f.addSample(newSample(vus, registry.RootTagSet(), at(1*time.Millisecond), 3))
	if c := f.cells[cellKey{metrics.TimeSeries{Metric: vus, Tags: registry.RootTagSet()}, at(0).Unix()}]; c.last != 8 {
		t.Errorf("last is %g, want 8", c.last)
	}
}

func TestOnlySecondsThatAreOverAreTakenAndLateSamplesMakeAFurtherLine(t *testing.T) {
	registry := metrics.NewRegistry()
	hits, none := registry.MustNewMetric("hits", metrics.Counter), registry.RootTagSet()
	line := func(second, count string) string {
		return `{"time":` + second + `,"metric":"hits","type":"counter","contains":"default","tags":{},"count":` + count + `,"sum":` + count + "}\n"
	}
	f := newFold()
	f.add([]metrics.SampleContainer{metrics.Samples{
		newSample(hits, none, at(time.Second-1), 1), newSample(hits, none, at(0), 1), newSample(hits, none, at(time.Second), 1),
	}})

	for _, step := range []struct{ name, got, want string }{
		{"nothing is over", string(f.takeBefore(1767323045)), ""},
		{"the first is over", string(f.takeBefore(1767323046)), line("1767323045", "2")},
		{"it is taken once", string(f.takeBefore(1767323046)), ""},
	} {
		if step.got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, step.got, step.want)
		}
	}
	f.addSample(newSample(hits, none, at(0), 1))
	if got, want := string(f.takeAll()), line("1767323045", "1")+line("1767323046", "1"); got != want {
		t.Errorf("at the end: got %q, want %q", got, want)
	}
}

func TestLinesAreSortedByTimeMetricAndTags(t *testing.T) {
	registry := metrics.NewRegistry()
	none := registry.RootTagSet()
	b, a := registry.MustNewMetric("bb", metrics.Counter), registry.MustNewMetric("aa", metrics.Counter)
	f := newFold()
	f.addSample(newSample(a, none, at(time.Second), 1))
	f.addSample(newSample(b, none, at(0), 1))
	f.addSample(newSample(a, none.With("z", "1"), at(0), 1))
	f.addSample(newSample(a, none.With("y", "1"), at(0), 1))

	want := `{"time":1767323045,"metric":"aa","type":"counter","contains":"default","tags":{"y":"1"},"count":1,"sum":1}
{"time":1767323045,"metric":"aa","type":"counter","contains":"default","tags":{"z":"1"},"count":1,"sum":1}
{"time":1767323045,"metric":"bb","type":"counter","contains":"default","tags":{},"count":1,"sum":1}
{"time":1767323046,"metric":"aa","type":"counter","contains":"default","tags":{},"count":1,"sum":1}
`
	if got := string(f.takeAll()); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestWhatIsNotAFiniteNumberIsLeftOutAndCounted(t *testing.T) {
	registry := metrics.NewRegistry()
	wait := registry.MustNewMetric("wait", metrics.Trend)
	f := newFold()
	for _, value := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		f.addSample(newSample(wait, registry.RootTagSet(), at(0), value))
	}
	if lines := f.takeAll(); f.rejected != 3 || f.samples != 0 || len(lines) != 0 {
		t.Errorf("rejected %d, samples %d, lines %q", f.rejected, f.samples, lines)
	}
}

// The reader takes indexes up to 64*128 on both sides of 0.
func TestATrendHasNoSampleBeyondTheBucketsOfTheReader(t *testing.T) {
	registry := metrics.NewRegistry()
	wei, sent := registry.MustNewMetric("wei", metrics.Trend), registry.MustNewMetric("sent", metrics.Counter)
	f := newFold()
	for _, size := range []float64{1e20, math.Nextafter(0x1p64, math.Inf(1)), 0x1p64, math.Nextafter(0x1p-64, 1), 0x1p-64, 1e-30} {
		f.addSample(newSample(wei, registry.RootTagSet(), at(0), size))
		f.addSample(newSample(wei, registry.RootTagSet(), at(0), -size))
	}
	f.addSample(newSample(sent, registry.RootTagSet(), at(0), 1e20))
	const want = `{"time":1767323045,"metric":"sent","type":"counter","contains":"default","tags":{},"count":1,"sum":100000000000000000000}
{"time":1767323045,"metric":"wei","type":"trend","contains":"default","tags":{},"count":4,"sum":0,"min":-18446744073709552000,` +
		`"max":18446744073709552000,"zero":0,"buckets":[[-8192,1],[8191,1]],"negative":[[-8192,1],[8191,1]]}
`
	if got := string(f.takeAll()); got != want || f.rejected != 8 || f.samples != 5 {
		t.Errorf("rejected %d, samples %d, lines\n%s", f.rejected, f.samples, got)
	}
}
