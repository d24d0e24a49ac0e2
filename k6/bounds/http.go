package bounds

import (
	"net/http"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/ext"
	"go.k6.io/k6/v2/js/modules"
	k6http "go.k6.io/k6/v2/js/modules/k6/http"
	"go.k6.io/k6/v2/lib"

	"breakwater/k6/arrivals"
)

// An extension replaces the module of k6 that has its name. modules.Register accepts only names in k6/x/.
func init() { ext.Register("k6/http", ext.JSExtension, &HTTP{}) }

// HTTP is k6's module k6/http, whoever imports it: every request of a VU, of setup() and of teardown() goes
// through a boundTransport.
type HTTP struct{}

func (*HTTP) NewModuleInstance(vu modules.VU) modules.Instance {
	tracer := newTracer(vu)
	instance := k6http.New().NewModuleInstance(boundVU{vu, tracer})
	tracer.replaceFunctions(instance.Exports().Default.(*sobek.Object))
	return instance
}

// boundVU binds its VU's transport when k6/http takes it. k6 creates the transport only
// after it has loaded the script. k6/http also takes the state before it reads the metadata of a request.
type boundVU struct {
	modules.VU
	tracer *tracer // nil if no request is traced
}

func (v boundVU) State() *lib.State {
	state := v.VU.State()
	if state == nil {
		return nil
	}
	transport := bind(state)
	transport.slot.Stamp(state.Tags)
	return v.tracer.of(state, transport)
}

func bind(state *lib.State) boundTransport {
	if transport, bound := state.Transport.(boundTransport); bound {
		return transport
	}
	if transport, ok := state.Transport.(*http.Transport); ok {
		transport.MaxResponseHeaderBytes = headerBytesMax
	}
	bound := boundTransport{base: state.Transport, limits: ofEachVU, state: state, slot: arrivals.SlotOf(state.VUID)}
	state.Transport = bound
	return bound
}
