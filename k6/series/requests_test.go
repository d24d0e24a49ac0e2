package series

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"breakwater/k6/tracing"
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

// newTrail is a traced request of a route; its parts are finished first.
func newTrail(tags *metrics.TagSet, id string, ms int, parts ...tracing.Part) *httpext.Trail {
	tracing.Finish(id, parts)
	return &httpext.Trail{
		EndTime: at(0), Duration: time.Duration(ms) * time.Millisecond, Tags: tags,
		Metadata: map[string]string{tracing.MetadataKey: id},
	}
}

func linesOf(f *fold, metric string) (lines []string) {
	for _, line := range strings.Split(string(f.takeAll()), "\n") {
		if strings.Contains(line, `"metric":"`+metric) {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestTracedRequestsHaveTheirPartsByRoute(t *testing.T) {
	root := metrics.NewRegistry().RootTagSet()
	route := root.With("name", "GET /pools").With("route_group", "pools").With("trial", "2")
	f := newFold()
	f.add([]metrics.SampleContainer{
		newTrail(route.With("status", "200"), "a", 8, tracing.Part{Name: "db", Ms: 4}, tracing.Part{Name: "app", Ms: 1}),
		newTrail(route.With("status", "404"), "b", 2, tracing.Part{Name: "app", Ms: 1}),
		newTrail(route.With("status", "200"), "c", 16),
	})
	const tags = `"tags":{"name":"GET /pools",`
	const of = `"route_group":"pools","trial":"2"}`
	want := []string{
		`{"time":1767323045,"metric":"http_req_server_timed","type":"trend","contains":"time",` + tags + of + `,"count":2,"sum":10,"min":2,"max":8,"zero":0,"buckets":[[127,1],[383,1]]}`,
		`{"time":1767323045,"metric":"http_req_server_timing","type":"trend","contains":"time",` + tags + `"part":"app",` + of + `,"count":2,"sum":2,"min":1,"max":1,"zero":0,"buckets":[[-1,2]]}`,
		`{"time":1767323045,"metric":"http_req_server_timing","type":"trend","contains":"time",` + tags + `"part":"db",` + of + `,"count":1,"sum":4,"min":4,"max":4,"zero":0,"buckets":[[255,1]]}`,
	}
	if got := linesOf(f, "http_req_server"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Also if it has no response: a request that waited for it is not late.
func TestTheFirstRequestOfAStartIsLate(t *testing.T) {
	f := newFold()
	for i, start := range []string{"7 1 0", "7 1 0", "8 2 0", "7 3 0", "8 2 0", "", "8 4 0", "8 4 0"} {
		trail := newTrail(metrics.NewRegistry().RootTagSet().With("name", fmt.Sprint(i)), "", 1)
		if trail.Metadata = map[string]string{"due": start}; i == 6 {
			trail.Duration = 0
		}
		f.add([]metrics.SampleContainer{trail})
	}
	var late []string
	for _, line := range linesOf(f, "http_req_lateness") {
		late = append(late, regexp.MustCompile(`"name":"(\d)"}`).FindStringSubmatch(line)[1])
	}
	if got := strings.Join(late, " "); got != "0 2 3" {
		t.Errorf("late: %s", got)
	}
}

func TestTheSlowestThreeOfARouteAndSecondAreKept(t *testing.T) {
	root := metrics.NewRegistry().RootTagSet()
	f := newFold()
	for i, ms := range []int{5, 9, 1, 9, 7, 0} {
		id := fmt.Sprintf("%032x", i)
		f.add([]metrics.SampleContainer{newTrail(root.With("name", "GET /").With("status", "200").With("vu", id), id, ms, tracing.Part{Name: "db", Ms: 0.5})})
	}
	var ids []string
	for _, line := range linesOf(f, "http_req_slow_trace") {
		match := regexp.MustCompile(`^{"time":1767323045,"metric":"http_req_slow_trace","type":"gauge","contains":"time",` +
			`"tags":{"name":"GET /","parts":"db=0.5","status":"200","trace_id":"0+(\d)"},"count":1,"sum":(\d),"min":\d,"max":\d,"last":\d}$`).FindStringSubmatch(line)
		if match == nil {
			t.Fatal(line)
		}
		ids = append(ids, match[1]+" "+match[2])
	}
	if got := strings.Join(ids, ", "); got != "1 9, 3 9, 4 7" {
		t.Error(got)
	}
	if again := linesOf(f, ""); len(again) != 0 {
		t.Errorf("kept: %v", again)
	}
}

func TestNamesOfPartsAreFew(t *testing.T) {
	f := newFold()
	for i := range 100 {
		f.add([]metrics.SampleContainer{newTrail(metrics.NewRegistry().RootTagSet(), fmt.Sprint(i), 1, tracing.Part{Name: fmt.Sprint("p", i), Ms: 1})})
	}
	if got := len(linesOf(f, "http_req_server_timing")); got != partNamesMax {
		t.Errorf("%d parts", got)
	}
}

// Requests that run in parallel: the path of each is its name and the duration of its part.
func TestARealRunTracesItsRequests(t *testing.T) {
	valid := regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-01$`)
	var lock sync.Mutex
	sent := map[string]string{} // path by trace id
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if match := valid.FindStringSubmatch(r.Header.Get("Traceparent")); match != nil {
			sent[match[1]] = strings.TrimPrefix(r.URL.Path, "/")
		}
		w.Header().Set("Server-Timing", "db;dur="+strings.TrimPrefix(r.URL.Path, "/"))
	}))
	t.Cleanup(server.Close)
	const source = `
		import http from 'k6/http'
		export default async function () {
			const paths = Array.from({ length: 10 }, (_, index) => String(10 * __ITER + index + 1))
			await Promise.all(paths.map((path) => http.asyncRequest('GET', __ENV.URL + '/' + path, null, { tags: { name: path } })))
			http.get(__ENV.URL + '/1000', { tags: { name: '1000' }, headers: { Traceparent: 'own' } })
			http.get(__ENV.URL + '/2000', { tags: { name: '2000' } })
		}`
	for share, want := range map[string]int{"": 0, "0": 0, "0.5": -1, "1": 20 * 11} {
		sent = map[string]string{}
		t.Setenv(tracing.Variable, share)
		path := filepath.Join(t.TempDir(), "series.ndjson")
		mustExit(t, startScript(t, source, path, server.URL, "--vus=2", "--iterations=20"), 0)
		content := mustReadPath(t, path)
		if file := mustReadWhole(t, content); file.counted != file.end.Samples {
			t.Errorf("share %q: the lines have %d samples, the end line says %d", share, file.counted, file.end.Samples)
		}
		mustMatch(t, string(content), sent)
		if len(sent) != want && want >= 0 || want < 0 && (len(sent) == 0 || len(sent) == 20*11) {
			t.Errorf("share %q: %d requests were traced", share, len(sent))
		}
	}
}

// mustMatch fails unless each trace in the file belongs to the request that carried it.
func mustMatch(t *testing.T, content string, sent map[string]string) {
	t.Helper()
	lines := regexp.MustCompile(`"tags":{"name":"(\d+)","parts":"db=(\d+)","status":"200","trace_id":"([0-9a-f]+)"}`).FindAllStringSubmatch(content, -1)
	for _, line := range lines {
		if name, ms, id := line[1], line[2], line[3]; sent[id] != name || ms != name {
			t.Errorf("trace %s of %s is in the file as %s with %s ms", id, sent[id], name, ms)
		}
	}
	if len(sent) > 0 && len(lines) == 0 {
		t.Error("no trace is in the file")
	}
}

func TestEachFunctionForOneRequestIsTraced(t *testing.T) {
	var lock sync.Mutex
	var traced []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if r.Header.Get("Traceparent") != "" {
			traced = append(traced, r.Method+" "+r.URL.Path)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv(tracing.Variable, "1")
	const source = `
		import http from 'k6/http'
		export default async function () {
			for (const name of ['get', 'head', 'post', 'put', 'patch', 'del', 'options']) http[name](__ENV.URL + '/' + name)
			http.request('GET', __ENV.URL + '/request')
			await http.asyncRequest('GET', __ENV.URL + '/async')
			http.batch([__ENV.URL + '/batch'])
		}`
	mustExit(t, startScript(t, source, filepath.Join(t.TempDir(), "series.ndjson"), server.URL), 0)
	want := "GET /get, HEAD /head, POST /post, PUT /put, PATCH /patch, DELETE /del, OPTIONS /options, GET /request, GET /async"
	if got := strings.Join(traced, ", "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestAShareThatIsNoneEndsTheRun(t *testing.T) {
	t.Setenv(tracing.Variable, "2")
	mustExit(t, startScript(t, `import 'k6/http'; export default function () {}`, filepath.Join(t.TempDir(), "s"), ""), 107)
}
