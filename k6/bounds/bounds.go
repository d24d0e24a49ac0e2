// Package bounds is a k6 module (`import { bound, openSocket } from 'k6/x/breakwater/bounds'`) that bounds the memory and the time that a
// target can take from a VU. k6 reads a body, and a WebSocket message, to its end, however long; its JSON.parse overflows the stack, which
// ends the process, at some million levels, and takes 600 MB for 2 million empty objects.
//
//	bound({ bytesMax, messageBytesMax, jsonLevelsMax, jsonValuesMax }) // from here on, in this VU
//
//	const { heard, cut } = openSocket(() => { socket = new WebSocket(url) })
//	heard(text, timestamp) // for each message: it waits no longer. Returns why JSON.parse must not read it, or ""
//	cut()                  // ends it at once: the server uses an extension that was not offered
package bounds

import (
	"errors"
	"net/http"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/breakwater/bounds", Module{}) }

// Module has no state of its own: bounds are per VU.
type Module struct{}

// limits are the same for a whole run.
type limits struct {
	BytesMax        int64 `js:"bytesMax"`        // of one body, as sent and as decoded
	MessageBytesMax int64 `js:"messageBytesMax"` // that a socket received and the VU has not heard yet: of one message, or of many that wait
	JSONLevelsMax   int   `js:"jsonLevelsMax"`   // of one body or message
	JSONValuesMax   int   `js:"jsonValuesMax"`
}

const headerBytesMax = 1 << 20

type instance struct {
	vu      modules.VU
	limits  limits
	sockets *sockets
}

// NewModuleInstance is called for each VU.
func (Module) NewModuleInstance(vu modules.VU) modules.Instance { return &instance{vu: vu} }

// Exports are what a script imports.
func (i *instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{"bound": i.bound, "openSocket": i.openSocket}}
}

// bound replaces what k6 sends the requests of this VU with, and opens its WebSockets with. Only the first call does anything.
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

var errInit = errors.New("bounds: to be set in a VU, before a socket is opened, and not in the init context")

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

// hearer takes sobek's own values, as it is called for each message of a load: other functions cost five times as much.
func (i *instance) hearer(line *line) func(sobek.FunctionCall) sobek.Value {
	runtime := i.vu.Runtime()
	fits := runtime.ToValue("")
	return func(call sobek.FunctionCall) sobek.Value {
		line.hear(call.Argument(1).ToInteger())
		message, isText := call.Argument(0).(sobek.String)
		// Each level takes a byte, and there are more values than levels.
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
