// Package bounds is a k6 module (`import { bound, heard } from 'k6/x/breakwater/bounds'`) that bounds the memory and the time that a
// target can take from a VU. k6 reads a body, and a WebSocket message, to its end, however long; and its JSON.parse overflows the stack,
// which ends the process, at some million levels.
//
//	bound(8388608, 128) // from here on, in this VU: bodies of 8 MiB and 128 levels of JSON at most, headers of 1 MiB
//	heard(text)         // for each message of a socket: it is no longer waiting; false if it is nested too deep for JSON.parse
//	heard(bytes)        // the same for a binary message
//	cutSockets()        // ends all sockets of this VU at once: the server uses an extension that was not offered
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
	bytes  int64 // of one body, as sent and decoded; and of what all sockets of a VU received and the VU has not looked at yet
	levels int   // of JSON
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
	return modules.Exports{Named: map[string]any{"bound": i.bound, "heard": i.heard, "cutSockets": i.cutSockets}}
}

// bound replaces what k6 sends the requests of this VU with, and opens its WebSockets with. Only the first call does anything.
func (i *instance) bound(bytes int64, levels int) error {
	if i.sockets != nil {
		return nil
	}
	state := i.vu.State()
	if state == nil {
		return errors.New("bound: only in a VU, not in the init context")
	}
	i.limits = limits{bytes: bytes, levels: levels}
	i.sockets = newSockets(state.Dialer, bytes)
	if transport, ok := state.Transport.(*http.Transport); ok {
		transport.MaxResponseHeaderBytes = headerBytesMax
	}
	state.Transport = boundTransport{base: state.Transport, limits: i.limits}
	state.Dialer = i.sockets
	return nil
}

// heard takes sobek's own values, as it is called for each message of a load: other functions cost five times as much.
func (i *instance) heard(call sobek.FunctionCall) sobek.Value {
	runtime := i.vu.Runtime()
	message := call.Argument(0)
	text, isText := message.(sobek.String)
	if !isText {
		i.heardBytes(message.ToInteger())
		return runtime.ToValue(true)
	}
	content := text.String()
	i.heardBytes(int64(len(content)))
	// Each level takes a byte.
	fits := len(content) <= i.limits.levels
	if !fits {
		depth := nesting{levelsMax: i.limits.levels}
		fits = depth.read([]byte(content))
	}
	return runtime.ToValue(fits)
}

func (i *instance) heardBytes(bytes int64) {
	if i.sockets != nil {
		i.sockets.heard(bytes)
	}
}

func (i *instance) cutSockets() {
	if i.sockets != nil {
		i.sockets.cut()
	}
}
