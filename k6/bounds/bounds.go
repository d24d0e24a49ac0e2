// Package bounds is a k6 module (`import { bound, openSocket } from 'k6/x/breakwater/bounds'`) that limits the
// memory and time that a target can cost a VU. k6 reads bodies and WebSocket messages of any length to the end; its
// JSON.parse overflows the stack at some million levels, which ends the process, and takes 600 MB for 2 million
// empty objects.
//
//	bound({ bytesMax, messageBytesMax, jsonLevelsMax, jsonValuesMax }) // for the rest of this VU
//
//	const { heard, cut } = openSocket(() => { socket = new WebSocket(url) })
//	heard(text, timestamp) // for each message: marks it as processed. Returns why JSON.parse must not read it, or ""
//	cut()                  // ends the socket at once: the server uses an extension that was not offered
package bounds

import (
	"errors"
	"net/http"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/breakwater/bounds", Module{}) }

type Module struct{}

type limits struct {
	BytesMax        int64 `js:"bytesMax"`        // of one body, before and after decoding
	MessageBytesMax int64 `js:"messageBytesMax"` // received by a socket but not yet processed by the VU, in one or many messages
	JSONLevelsMax   int   `js:"jsonLevelsMax"`   // in one body or message
	JSONValuesMax   int   `js:"jsonValuesMax"`
}

const headerBytesMax = 1 << 20

type instance struct {
	vu      modules.VU
	limits  limits
	sockets *sockets
}

func (Module) NewModuleInstance(vu modules.VU) modules.Instance { return &instance{vu: vu} }

// Exports are what a script imports.
func (i *instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{"bound": i.bound, "openSocket": i.openSocket}}
}

// bound replaces the transport and the WebSocket dialer of this VU. Later calls have no effect.
func (i *instance) bound(given limits) error {
	if i.sockets != nil {
		return nil
	}
	state := i.vu.State()
	if state == nil {
		return errInit
	}
	i.limits = given
	i.sockets = newSockets(state.Dialer, given.MessageBytesMax)
	if transport, ok := state.Transport.(*http.Transport); ok {
		transport.MaxResponseHeaderBytes = headerBytesMax
	}
	state.Transport = boundTransport{base: state.Transport, limits: given}
	state.Dialer = i.sockets
	return nil
}

var errInit = errors.New("bounds: call bound in a VU before opening a socket, not in the init context")

func (i *instance) openSocket(construct func() error) (map[string]any, error) {
	if i.sockets == nil {
		return nil, errInit
	}
	line, err := i.sockets.open(construct)
	if err != nil {
		return nil, err
	}
	return map[string]any{"heard": i.hearer(line), "cut": line.cut}, nil
}

// hearer uses sobek's native function type, because it runs for each message of a load: converted functions
// cost five times as much.
func (i *instance) hearer(line *line) func(sobek.FunctionCall) sobek.Value {
	runtime := i.vu.Runtime()
	fits := runtime.ToValue("")
	return func(call sobek.FunctionCall) sobek.Value {
		line.hear(call.Argument(1).ToInteger())
		message, isText := call.Argument(0).(sobek.String)
		// Each level takes at least one byte, and there are at least as many values as levels.
		if !isText || message.Length() <= i.limits.JSONLevelsMax {
			return fits
		}
		size := extent{limits: i.limits}
		if err := size.read([]byte(message.String())); err != nil {
			return runtime.ToValue(err.Error())
		}
		return fits
	}
}
