// Package arrivals is a k6 executor, `breakwater-arrivals`: an open load whose iterations start at planned times.
// Unlike k6's executors it knows when each iteration is due. The first request of an iteration carries that time
// (due.go), so the series output can count latency from it: an iteration that starts late because the generator was
// busy, or that never starts because no VU is free, does not make the target look faster.
//
//	scenarios: {
//	  visitors: {
//	    executor: 'breakwater-arrivals',
//	    arrivals: 'poisson', seed: 7,                // or 'even'; or 'trace' with `file` (trace.go)
//	    stages: [{ seconds: 30, from: 10, to: 50 }], // iterations per second, linear from one to the other
//	    vus: 20, maxVUs: 40,
//	  },
//	}
//
// Segments of an execution (--execution-segment) split the iterations between k6 processes: together they start the
// same iterations at the same times as a single process.
package arrivals

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"
)

const executorType = "breakwater-arrivals"

func init() {
	lib.RegisterExecutorConfigType(executorType, func(name string, rawJSON []byte) (lib.ExecutorConfig, error) {
		config := Config{BaseConfig: executor.NewBaseConfig(name, executorType), Part: Part{To: 1}}
		err := lib.StrictJSONUnmarshal(rawJSON, &config)
		return config, err
	})
}

// Config is what a script writes.
type Config struct {
	executor.BaseConfig

	Arrivals string  `json:"arrivals"`
	Seed     uint64  `json:"seed"`
	Stages   []Stage `json:"stages"`
	File     string  `json:"file"`   // of a trace
	Part     Part    `json:"part"`   // of a trace
	VUs      int64   `json:"vus"`    // created before the start
	MaxVUs   int64   `json:"maxVUs"` // VUs beyond `vus` are created when one is missing
}

// Stage is a time in which the rate changes linearly.
type Stage struct {
	Seconds float64 `json:"seconds"`
	From    float64 `json:"from"`
	To      float64 `json:"to"`
}

const (
	even    = "even"
	poisson = "poisson"
	trace   = "trace"
)

// A rate beyond that is a mistake, and would keep the executor from ever catching up.
const rateMax = 1_000_000

// Validate explains each mistake.
func (c Config) Validate() []error {
	errs := c.BaseConfig.Validate()
	check := func(valid bool, format string, values ...any) {
		if !valid {
			errs = append(errs, fmt.Errorf(format, values...))
		}
	}
	check(slices.Contains([]string{even, poisson, trace}, c.Arrivals),
		"arrivals must be %q, %q or %q, but is %q", even, poisson, trace, c.Arrivals)
	check(len(c.Stages) > 0, "at least one stage must be given")
	for i, s := range c.Stages {
		check(s.Seconds > 0 && s.Seconds <= math.MaxInt32, "stage %d must last more than 0 seconds, but lasts %g", i+1, s.Seconds)
		check(isRate(s.From) && isRate(s.To), "the rates of stage %d must be from 0 to %d, but are %g and %g", i+1, rateMax, s.From, s.To)
	}
	check((c.Arrivals == trace) == (c.File != ""), "arrivals %q need a file, and others have none", trace)
	check(c.Part.From >= 0 && c.Part.From < c.Part.To && c.Part.To <= 1, "part must be from 0 to 1, but is from %g to %g", c.Part.From, c.Part.To)
	check(c.VUs > 0, "vus must be more than 0, but is %d", c.VUs)
	check(c.MaxVUs == 0 || c.MaxVUs >= c.VUs, "maxVUs must be at least vus (%d), but is %d", c.VUs, c.MaxVUs)
	return errs
}

func isRate(rate float64) bool { return rate >= 0 && rate <= rateMax }

func (c Config) maxVUs() int64 { return max(c.VUs, c.MaxVUs) }

func (c Config) duration() time.Duration {
	var seconds float64
	for _, stage := range c.Stages {
		seconds += stage.Seconds
	}
	return inSeconds(seconds)
}

func inSeconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// GetExecutionRequirements returns the VUs that k6 creates before the start.
func (c Config) GetExecutionRequirements(et *lib.ExecutionTuple) []lib.ExecutionStep {
	planned, most := et.ScaleInt64(c.VUs), et.ScaleInt64(c.maxVUs())
	return []lib.ExecutionStep{
		{PlannedVUs: uint64(planned), MaxUnplannedVUs: uint64(most - planned)},
		{TimeOffset: c.duration() + c.GetGracefulStop()},
	}
}

func (c Config) GetDescription(et *lib.ExecutionTuple) string {
	return fmt.Sprintf("%s arrivals for %s (maxVUs: %d, gracefulStop: %s)",
		c.Arrivals, c.duration(), et.ScaleInt64(c.maxVUs()), c.GetGracefulStop())
}

func (c Config) HasWork(et *lib.ExecutionTuple) bool { return et.ScaleInt64(c.maxVUs()) > 0 }

// NewExecutor is called only for a valid configuration.
func (c Config) NewExecutor(state *lib.ExecutionState, logger *logrus.Entry) (lib.Executor, error) {
	unit, err := c.unit()
	if err != nil {
		return nil, err
	}
	// As k6's executors: the segment is that of the VUs, so that each process starts as many iterations as it has VUs for.
	segment, err := state.ExecutionTuple.GetNewExecutionTupleFromValue(c.maxVUs())
	if err != nil {
		return nil, errors.Join(errors.New("no part of the execution is for this process"), err)
	}
	dueIterations, err := state.Test.Registry.NewMetric("due_iterations", metrics.Counter)
	if err != nil {
		return nil, err
	}
	return &arrivals{
		BaseExecutor:  executor.NewBaseExecutor(c, state, logger),
		config:        c,
		unit:          unit,
		state:         state,
		dueIterations: dueIterations,
		segment:       segment,
		index:         lib.NewSegmentedIndex(segment),
	}, nil
}
