package arrivals

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"
)

type arrivals struct {
	*executor.BaseExecutor

	config Config
	unit   process
	state  *lib.ExecutionState
	// A counter, with the dropped iterations: Poisson arrivals vary around their rate.
	dueIterations *metrics.Metric
	segment       *lib.ExecutionTuple
	indexMu       sync.Mutex
	index         *lib.SegmentedIndex
}

// Run starts the iterations when they are due. One that finds no free VU is dropped.
func (a *arrivals) Run(parent context.Context, out chan<- metrics.SampleContainer) error {
	duration := a.config.duration()
	ctx, cancel := context.WithCancelCause(parent)
	crew := &crew{arrivals: a, due: make(chan time.Time), cancel: cancel}
	start := time.Now()
	crew.ctx = lib.WithScenarioState(ctx, &lib.ScenarioState{
		Name: a.config.Name, Executor: a.config.Type, StartTime: start,
		ProgressFn: func() (float64, []string) { return crew.progress(start, duration) },
	})
	defer crew.dismiss()
	for range a.config.GetExecutionRequirements(a.state.ExecutionTuple)[0].PlannedVUs {
		vu, err := a.state.GetPlannedVU(a.GetLogger(), false)
		if err != nil {
			crew.finish()
			return err
		}
		crew.hire(vu)
	}

	begin := time.Now()
	// With the deadline, iterations are interrupted.
	deadline := time.AfterFunc(duration+a.config.GetGracefulStop(), func() { cancel(errOver) })
	defer deadline.Stop()
	for offset := range of(a.segment, a.config.schedule(a.unit)) {
		due := begin.Add(offset)
		if !sleepUntil(crew.ctx, due) {
			break
		}
		a.count(parent, out, a.dueIterations, due)
		if !crew.offer(due) {
			a.count(parent, out, a.state.Test.BuiltinMetrics.DroppedIterations, due)
			crew.enlarge()
		}
	}
	sleepUntil(crew.ctx, begin.Add(duration))
	crew.finish()
	if cause := context.Cause(ctx); errext.IsInterruptError(cause) {
		return cause
	}
	return nil
}

var errOver = errors.New("the time for iterations to end is over")

// sleepUntil returns false if the context ended before.
func sleepUntil(ctx context.Context, then time.Time) bool {
	wait := time.Until(then)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (a *arrivals) count(ctx context.Context, out chan<- metrics.SampleContainer, metric *metrics.Metric, due time.Time) {
	tags := a.state.Test.RunTags
	if a.state.Test.Options.SystemTags.Has(metrics.TagScenario) {
		tags = tags.With("scenario", a.config.Name)
	}
	metrics.PushIfNotDone(ctx, out, metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags},
		Time:       due,
		Value:      1,
	})
}

func (a *arrivals) nextCounters() (uint64, uint64) {
	a.indexMu.Lock()
	defer a.indexMu.Unlock()
	scaled, unscaled := a.index.Next()
	return uint64(scaled - 1), uint64(unscaled - 1)
}

// crew is the VUs of one run of the executor.
type crew struct {
	*arrivals

	ctx      context.Context
	cancel   context.CancelCauseFunc
	due      chan time.Time // sent only to a free VU
	free     atomic.Int64   // VUs that wait for an iteration, or are about to
	working  sync.WaitGroup // VUs that wait for iterations or run them
	hired    sync.WaitGroup // VUs that have not been returned to k6
	hiring   atomic.Bool
	size     atomic.Int64
	running  atomic.Int64
	complain sync.Once
}

func (c *crew) hire(vu lib.InitializedVU) {
	slot := SlotOf(vu.GetID())
	slot.clear()
	c.size.Add(1)
	c.hired.Add(1)
	active := vu.Activate(&lib.VUActivationParams{
		RunContext: c.ctx, Scenario: c.config.Name, Exec: c.config.GetExec(), Env: c.config.GetEnv(), Tags: c.config.GetTags(),
		DeactivateCallback: func(vu lib.InitializedVU) {
			slot.clear()
			c.state.ReturnVU(vu, false)
			c.hired.Done()
		},
		GetNextIterationCounters: c.nextCounters,
	})
	c.working.Add(1)
	c.free.Add(1)
	go func() {
		defer c.working.Done()
		for due := range c.due {
			slot.set(due)
			c.running.Add(1)
			c.state.ModCurrentlyActiveVUsCount(+1)
			c.run(active)
			c.state.ModCurrentlyActiveVUsCount(-1)
			c.running.Add(-1)
			c.free.Add(1)
		}
	}()
}

// run counts iterations as k6's executors do.
func (c *crew) run(vu lib.ActiveVU) {
	err := vu.RunOnce()
	if errext.IsInterruptError(err) {
		c.cancel(err)
	}
	if c.ctx.Err() != nil {
		c.state.AddInterruptedIterations(1)
		return
	}
	if err != nil {
		text, fields := errext.Format(err)
		c.GetLogger().WithFields(logrus.Fields(fields)).Error(text)
	}
	c.state.AddFullIterations(1)
}

// offer returns false if no VU is free.
func (c *crew) offer(due time.Time) bool {
	if c.free.Add(-1) < 0 {
		c.free.Add(1)
		return false
	}
	c.due <- due
	return true
}

// enlarge creates one more VU during the load, if it may.
func (c *crew) enlarge() {
	most := c.state.ExecutionTuple.ScaleInt64(c.config.maxVUs())
	if c.size.Load() >= most {
		c.complain.Do(func() { c.GetLogger().Warnf("Insufficient VUs: all %d are busy, so iterations are dropped", most) })
		return
	}
	if c.hiring.Swap(true) {
		return
	}
	c.working.Add(1)
	go func() {
		defer c.working.Done()
		defer c.hiring.Store(false)
		vu, err := c.state.GetUnplannedVU(c.ctx, c.GetLogger())
		if err != nil {
			c.GetLogger().WithError(err).Error("cannot create a VU")
			return
		}
		c.hire(vu)
	}()
}

// finish waits for the iterations that have started.
func (c *crew) finish() {
	close(c.due)
	c.working.Wait()
}

// dismiss returns all VUs to k6.
func (c *crew) dismiss() {
	c.cancel(errOver)
	c.hired.Wait()
}

func (c *crew) progress(start time.Time, duration time.Duration) (float64, []string) {
	spent := min(time.Since(start), duration)
	vus := fmt.Sprintf("%d/%d VUs", c.running.Load(), c.size.Load())
	return float64(spent) / float64(duration), []string{vus, fmt.Sprintf("%s/%s", spent.Truncate(time.Second), duration)}
}
