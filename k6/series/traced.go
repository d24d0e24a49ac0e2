package series

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"breakwater/k6/tracing"
)

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
