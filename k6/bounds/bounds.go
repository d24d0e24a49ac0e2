// Package bounds limits the memory and time that a target can cost a VU. k6 reads bodies and WebSocket messages of
// any length to the end; its JSON.parse overflows the stack at some million levels, which ends the process, and
// takes 600 MB for 2 million empty objects.
//
// It replaces the module k6/http by one with limits (http.go), and adds a module for sockets:
//
//	import { openSocket } from 'k6/x/breakwater/bounds'
//	const { heard, cut } = openSocket(() => { socket = new WebSocket(url) })
//	heard(text, timestamp) // for each message: marks it as processed. Returns why JSON.parse must not read it, or ""
//	cut()                  // ends the socket at once: the server uses an extension that was not offered
//
// A slow reader has small buffers, so that the server soon has to keep what it does not read:
//
//	const { pause, cut } = openSocket(() => { socket = new WebSocket(url) }, true)
//	pause()                // reads no more until cut, or until the VU is stopped
package bounds

import (
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/breakwater/bounds", Module{}) }

type Module struct{}

type limits struct {
	BytesMax        int64 // of one body, before and after decoding
	MessageBytesMax int64 // received by a socket but not yet processed by the VU, in one or many messages
	JSONLevelsMax   int   // in one body or message
	JSONValuesMax   int
}

// ofEachVU has the values of contract/response-bounds.ts, whose test compares them.
var ofEachVU = limits{BytesMax: 8 << 20, MessageBytesMax: 2 << 20, JSONLevelsMax: 1000, JSONValuesMax: 100_000}

const headerBytesMax = 1 << 20

type instance struct {
	vu      modules.VU
	sockets *sockets
}

func (Module) NewModuleInstance(vu modules.VU) modules.Instance { return &instance{vu: vu} }

// Exports are what a script imports.
func (i *instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{"openSocket": i.openSocket}}
}

// openSocket replaces the WebSocket dialer of this VU when it is first called.
func (i *instance) openSocket(construct func() error, isSlow bool) (map[string]any, error) {
	state := i.vu.State()
	if state == nil {
		return nil, errInit
	}
	if i.sockets == nil {
		i.sockets = newSockets(state.Dialer, ofEachVU.MessageBytesMax)
		state.Dialer = i.sockets
	}
	line, err := i.sockets.open(i.vu.Context(), construct, isSlow)
	if err != nil {
		return nil, err
	}
	return map[string]any{"heard": i.hearer(line), "cut": line.cut, "pause": line.pause}, nil
}

var errInit = errors.New("bounds: open sockets in a VU, not in the init context")

// hearer uses sobek's native function type, because it runs for each message of a load: converted functions
// cost five times as much.
func (i *instance) hearer(line *line) func(sobek.FunctionCall) sobek.Value {
	runtime := i.vu.Runtime()
	fits := runtime.ToValue("")
	return func(call sobek.FunctionCall) sobek.Value {
		line.hear(call.Argument(1).ToInteger())
		message, isText := call.Argument(0).(sobek.String)
		// Each level takes at least one byte, and there are at least as many values as levels.
		if !isText || message.Length() <= ofEachVU.JSONLevelsMax {
			return fits
		}
		size := extent{limits: ofEachVU}
		if err := size.read([]byte(message.String())); err != nil {
			return runtime.ToValue(err.Error())
		}
		return fits
	}
}
