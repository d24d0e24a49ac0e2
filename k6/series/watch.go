package series

import (
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// watch measures once a second how much this process, its container and its machine use, as points of the series itself: the
// file shows whether the generator was saturated, on any machine and in a pod. Off unless K6_SERIES_WATCH is true.
type watch struct {
	process *process
	metrics []*metrics.Metric // in the order of figures
	tags    *metrics.TagSet
	before  []float64 // counter values of the last look
}

// figure is one metric. Read returns NaN if the system does not have it; a counter's is a total since any start.
type figure struct {
	name string
	kind metrics.MetricType
	read func(*process) float64
}

var figures = []figure{
	{"generator_seconds", metrics.Counter, (*process).seconds}, // time passed, to divide the other counters by
	{"generator_cpu_seconds", metrics.Counter, (*process).cpuSeconds},
	{"generator_run_delay_seconds", metrics.Counter, (*process).runDelaySeconds},
	{"generator_periods", metrics.Counter, (*process).periods},
	{"generator_throttled_periods", metrics.Counter, (*process).throttledPeriods},
	{"generator_cores_max", metrics.Gauge, (*process).coresMax},
	{"generator_machine_seconds", metrics.Counter, (*process).machineSeconds},
	{"generator_machine_busy_seconds", metrics.Counter, (*process).machineBusySeconds},
	{"generator_machine_cores", metrics.Gauge, (*process).machineCores},
	{"generator_open_files", metrics.Gauge, (*process).openFiles},
	{"generator_open_files_limit", metrics.Gauge, (*process).openFilesLimit},
	{"generator_time_wait_sockets", metrics.Gauge, (*process).timeWaitSockets},
	{"generator_ports_max", metrics.Gauge, (*process).portsMax},
	{"generator_resident_mb", metrics.Gauge, (*process).residentMB},
}

// newWatch is nil if no watch was requested. The root holds proc and sys.
func newWatch(environment map[string]string, root fs.FS) (*watch, error) {
	asked := environment["K6_SERIES_WATCH"]
	if asked == "" {
		return nil, nil
	}
	isOn, err := strconv.ParseBool(asked)
	if err != nil {
		return nil, fmt.Errorf("K6_SERIES_WATCH must be true or false, not %q", asked)
	}
	if !isOn {
		return nil, nil
	}
	registry := metrics.NewRegistry() // separate, because the script may use the same metric names
	w := &watch{process: newProcess(root), tags: registry.RootTagSet(), before: make([]float64, len(figures))}
	for _, figure := range figures {
		w.metrics = append(w.metrics, registry.MustNewMetric(figure.name, figure.kind))
	}
	w.look(time.Now())
	return w, nil
}

// look returns a sample of each figure that the system has: for counters, the growth since the last look.
func (w *watch) look(now time.Time) metrics.Samples {
	if w == nil {
		return nil
	}
	var samples metrics.Samples
	for i, figure := range figures {
		value := figure.read(w.process)
		if figure.kind == metrics.Counter {
			value, w.before[i] = value-w.before[i], value
		}
		if !math.IsNaN(value) {
			series := metrics.TimeSeries{Metric: w.metrics[i], Tags: w.tags}
			samples = append(samples, metrics.Sample{TimeSeries: series, Time: now, Value: value})
		}
	}
	return samples
}
