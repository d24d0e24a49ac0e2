// Package history is a k6 output (`--out history=PATH`) and a k6 module that writes to it. Together they record operations
// with state, such as the refresh of a session, so that the command can check them after the run:
//
//	import { call, done } from 'k6/x/breakwater/history'
//	const id = call('R', 'session 12.3', 4) // kind, key, argument
//	done(id, 200, 5)                        // status, value
//
// Numbers below 0 mean that there is no argument or value. An operation that is not done at the end was never returned:
// it may have taken effect or not.
package history

import (
	"errors"
	"fmt"
	"sync/atomic"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

func init() {
	output.RegisterExtension("history", New)
	modules.Register("k6/x/breakwater/history", Module{})
}

// bytesMax limits the log: about ten million operations. Later operations are not recorded.
const bytesMax = 256 << 20

// current is the log of this process, nil without the output.
var current atomic.Pointer[operationLog]

type historyOutput struct{ params output.Params }

// New creates the output. Its argument is a file path.
func New(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("the history output needs the path of a file: --out history=PATH")
	}
	return &historyOutput{params}, nil
}

func (o *historyOutput) Description() string { return "history (" + o.params.ConfigArgument + ")" }

func (o *historyOutput) Start() error {
	file, err := o.params.FS.Create(o.params.ConfigArgument)
	if err != nil {
		return fmt.Errorf("the history output cannot write its file: %w", err)
	}
	current.Store(newLog(file, bytesMax))
	return nil
}

func (o *historyOutput) AddMetricSamples([]metrics.SampleContainer) {}

// Stop writes the operations that never returned, and the end line. A log without one is incomplete.
func (o *historyOutput) Stop() error {
	if log := current.Swap(nil); log != nil {
		return log.close()
	}
	return nil
}

// Module gives each VU access to the log of the process.
type Module struct{}

type instance struct{}

func (Module) NewModuleInstance(modules.VU) modules.Instance { return instance{} }

// Exports are what a script imports.
func (i instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{"call": call, "done": done, "follow": i.follow}}
}

func call(kind, key string, argument int64) int64 {
	if log := current.Load(); log != nil {
		return log.call(kind, key, argument)
	}
	return noOperation
}

func done(id, status, value int64) {
	if log := current.Load(); log != nil {
		log.done(id, status, value)
	}
}
