package series

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
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
	took, late, isDue := f.timesOf(trail)
	add(sinceDue, metrics.D(took))
	if isDue {
		add(lateness, metrics.D(late))
	}
	if id, parts, isTraced := tracing.TakeParts(trail.Metadata); isTraced {
		f.addTrace(trail, id, parts)
	}
}

func (f *fold) timesOf(trail *httpext.Trail) (took, late time.Duration, isDue bool) {
	due, isDue := f.takeDue(trail.Metadata)
	if trail.Duration == 0 { // no connection, so no response: k6's own times are 0 too
		return 0, 0, false
	}
	took = max(trail.Blocked, trail.ConnDuration) + trail.Duration
	if isDue {
		late = max(0, trail.EndTime.Sub(due)-took)
	}
	return took + late, late, isDue
}

// takeDue returns when a request was due, once per iteration: redirects and requests that wait in a batch have the metadata too,
// but they wait for the target.
func (f *fold) takeDue(metadata map[string]string) (time.Time, bool) {
	start, found := arrivals.ReadStart(metadata)
	if !found || start.Number <= f.started[start.VU] {
		return time.Time{}, false
	}
	f.started[start.VU] = start.Number
	return start.Due, true
}

// Metrics of the traced requests, a sample of all, with the tags name, route_group and trial.
var (
	// serverTiming is the time of each part that the target names, by the tag part.
	serverTiming = &metrics.Metric{Name: "http_req_server_timing", Type: metrics.Trend, Contains: metrics.Time}
	// serverTimed is the response time of the requests whose target names parts.
	serverTimed = &metrics.Metric{Name: "http_req_server_timed", Type: metrics.Trend, Contains: metrics.Time}
	// slowTrace is the response time of one of the slowest requests of its route and second, with the tags status, trace_id and
	// parts.
	slowTrace = &metrics.Metric{Name: "http_req_slow_trace", Type: metrics.Gauge, Contains: metrics.Time}
)

const (
	slowestMax   = 3  // of a route and second
	partNamesMax = 16 // of all responses: names come from the target, and each is a series
)

var routeTags = []string{"name", "route_group", "trial"}

type traces struct {
	root    *metrics.TagSet
	routes  map[*metrics.TagSet]*metrics.TagSet // of requests, by all their tags
	parts   map[string]bool
	slowest map[requestKey][]slowRequest // by falling time
}

type slowRequest struct {
	id     string
	status string
	ms     float64
	parts  []tracing.Part
}

func newTraces() traces {
	return traces{
		root:    metrics.NewRegistry().RootTagSet(),
		routes:  map[*metrics.TagSet]*metrics.TagSet{},
		parts:   map[string]bool{},
		slowest: map[requestKey][]slowRequest{},
	}
}

func (f *fold) addTrace(trail *httpext.Trail, id string, parts []tracing.Part) {
	if trail.Duration == 0 { // no connection, so no response
		return
	}
	tags, ms := f.traces.route(trail.Tags), metrics.D(trail.Duration)
	add := func(metric *metrics.Metric, tags *metrics.TagSet, value float64) {
		f.addSample(metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: trail.EndTime, Value: value})
	}
	parts = f.traces.known(parts)
	if len(parts) > 0 {
		add(serverTimed, tags, ms)
	}
	for _, part := range parts {
		add(serverTiming, tags.With("part", part.Name), part.Ms)
	}
	status, _ := trail.Tags.Get("status")
	f.traces.addSlow(requestKey{tags, trail.EndTime.Unix()}, slowRequest{id, status, ms, parts})
}

// route keeps only the tags of the route.
func (t *traces) route(all *metrics.TagSet) *metrics.TagSet {
	tags, found := t.routes[all]
	if !found {
		tags = t.root
		for _, name := range routeTags {
			if value, has := all.Get(name); has {
				tags = tags.With(name, value)
			}
		}
		t.routes[all] = tags
	}
	return tags
}

func (t *traces) known(parts []tracing.Part) (known []tracing.Part) {
	for _, part := range parts {
		if len(t.parts) < partNamesMax {
			t.parts[part.Name] = true
		}
		if t.parts[part.Name] {
			known = append(known, part)
		}
	}
	return known
}

func (t *traces) addSlow(key requestKey, request slowRequest) {
	slowest := append(t.slowest[key], request)
	slices.SortFunc(slowest, func(a, b slowRequest) int { return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(a.id, b.id)) })
	t.slowest[key] = slowest[:min(len(slowest), slowestMax)]
}

// takeSlowest encodes and removes those of the seconds before the given one.
func (f *fold) takeSlowest(second int64) (lines [][]byte) {
	for key, slowest := range f.traces.slowest {
		if key.second >= second {
			continue
		}
		delete(f.traces.slowest, key)
		for _, request := range slowest {
			lines = append(lines, encode(request.line(key)))
			f.samples++
		}
	}
	return lines
}

// line has its own tags: a tag set of k6 would stay in memory for each trace id.
func (r slowRequest) line(key requestKey) gaugeLine {
	tags := key.tags.Map()
	tags["status"], tags["trace_id"], tags["parts"] = r.status, r.id, partsText(r.parts)
	return gaugeLine{countLine{
		Time: key.second, Metric: slowTrace.Name, Type: slowTrace.Type.String(), Contains: slowTrace.Contains.String(),
		Tags: tags, Count: 1, Sum: r.ms,
	}, r.ms, r.ms, r.ms}
}

// partsText is like "db=12.5 app=3".
func partsText(parts []tracing.Part) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Name + "=" + strconv.FormatFloat(part.Ms, 'f', -1, 64)
	}
	return strings.Join(texts, " ")
}
