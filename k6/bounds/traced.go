package bounds

import (
	"net/http"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	k6http "go.k6.io/k6/v2/js/modules/k6/http"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"breakwater/k6/tracing"
)

// tracer traces a sample of a VU's requests. Its functions replace those of k6/http: during the call of one request, k6/http
// gets a state of the VU whose transport and metadata are those of the trace, so requests that run in parallel are not confused.
// A batch is not traced.
type tracer struct {
	vu    modules.VU
	share float64
	draws *tracing.Draws // nil before the first request
	trace *tracing.Trace // of the call
	state *lib.State     // of the call; nil until k6/http takes it
}

var requestFunctions = []string{"request", "asyncRequest", "get", "head", "post", "put", "patch", "del", "options"}

// newTracer returns nil if the environment does not turn tracing on.
func newTracer(vu modules.VU) *tracer {
	text, _ := vu.InitEnv().LookupEnv(tracing.Variable)
	share, err := tracing.ParseShare(text)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	if share == 0 {
		return nil
	}
	return &tracer{vu: vu, share: share}
}

func (t *tracer) replaceFunctions(exports *sobek.Object) {
	if t == nil {
		return
	}
	for _, name := range requestFunctions {
		if err := exports.Set(name, t.replace(exports.Get(name).Export())); err != nil {
			common.Throw(t.vu.Runtime(), err)
		}
	}
}

// replace has the types of k6's functions. A function of another type would stay as it is, which the tests would show.
func (t *tracer) replace(exported any) any {
	switch function := exported.(type) {
	case func(string, sobek.Value, ...sobek.Value) (*k6http.Response, error):
		return func(method string, url sobek.Value, args ...sobek.Value) (*k6http.Response, error) {
			t.begin()
			defer t.end()
			return function(method, url, args...)
		}
	case func(string, sobek.Value, ...sobek.Value) (*sobek.Promise, error):
		return func(method string, url sobek.Value, args ...sobek.Value) (*sobek.Promise, error) {
			t.begin()
			defer t.end()
			return function(method, url, args...)
		}
	case func(sobek.Value, ...sobek.Value) (*k6http.Response, error):
		return func(url sobek.Value, args ...sobek.Value) (*k6http.Response, error) {
			t.begin()
			defer t.end()
			return function(url, args...)
		}
	default:
		return exported
	}
}

func (t *tracer) begin() {
	if t.isDrawn() {
		t.trace = tracing.New()
	}
}

func (t *tracer) end() { t.trace, t.state = nil, nil }

func (t *tracer) isDrawn() bool {
	if t.draws == nil {
		state := t.vu.State()
		if state == nil { // the init context sends no requests
			return false
		}
		t.draws = tracing.NewDraws(t.share, state.VUIDGlobal)
	}
	return t.draws.Next()
}

// of returns the state for the call: the VU's own if it is not traced.
func (t *tracer) of(state *lib.State, transport boundTransport) *lib.State {
	if t == nil || t.trace == nil {
		return state
	}
	if t.state == nil {
		copied, values := *state, state.Tags.GetCurrentValues()
		values.SetMetadata(tracing.MetadataKey, t.trace.ID())
		copied.Transport = tracedTransport{transport, t.trace}
		copied.Tags = lib.NewVUStateTags(values.Tags)
		copied.Tags.Modify(func(current *metrics.TagsAndMeta) { *current = values })
		t.state = &copied
	}
	return t.state
}

// tracedTransport sends the trace with its request, and reads the parts of its time that the target names.
type tracedTransport struct {
	boundTransport
	trace *tracing.Trace
}

func (t tracedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Header.Get(tracing.Header) != "" || !t.trace.Take() { // the script's own, or a redirect
		return t.boundTransport.RoundTrip(request)
	}
	sent := request.WithContext(request.Context())
	sent.Header = request.Header.Clone() // the script sees the original
	sent.Header.Set(tracing.Header, t.trace.Parent())
	response, err := t.boundTransport.RoundTrip(sent)
	var parts []tracing.Part
	if err == nil {
		parts = tracing.ParseServerTiming(response.Header["Server-Timing"])
	}
	tracing.Finish(t.trace.ID(), parts)
	return response, err
}
