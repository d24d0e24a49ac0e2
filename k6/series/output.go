// Package series is a k6 output (`--out series=PATH`, or the file's URL at a collector) that aggregates samples into
// one line per time series and second. The file size depends on the run's duration and the number of series, not on
// the number of requests. Histograms add up, so seconds, runs and load generators merge without loss.
//
// The file is NDJSON, format 2:
//
//	{"type":"header","format":2,"k6":"2.2.0","start":"2026-01-02T03:04:05.678Z","scale":7}
//	{"time":1767323045,"metric":"iterations","type":"counter","contains":"default","tags":{},"count":2,"sum":2}
//	{"time":1767323045,"metric":"checks","type":"rate","contains":"default","tags":{},"count":2,"sum":1}
//	{"time":1767323045,"metric":"vus","type":"gauge","contains":"default","tags":{},"count":1,"sum":5,"min":5,"max":5,"last":5}
//	{"time":1767323045,"metric":"http_req_duration","type":"trend","contains":"time","tags":{"name":"GET /pools"},
//	 "count":2,"sum":3,"min":1,"max":2,"zero":0,"buckets":[[-1,1],[127,1]]}
//	{"type":"end","time":"2026-01-02T03:05:05.678Z","samples":8}
//
// (the trend's line is wrapped here for readability). Every line except the first and last is one second of a series:
//
//   - time is the second in Unix time; metric, type, contains and tags (sorted by key) are k6's.
//   - count is the number of samples. sum is the sum of their values; for a rate, the number of true samples.
//   - buckets are [index, count] pairs in ascending order, those of an OpenTelemetry exponential histogram of the
//     header's scale; zero counts zeros, and negative (omitted if empty) holds the absolute values below zero.
//   - a series may have several lines for one second if samples arrived late: readers add them up, and take a gauge's
//     last value from the later line.
//   - http_req_since_due and http_req_lateness are not k6's (requests.go): the time of a request from when it was due, and how
//     late the generator started it. Format 1 lacks them.
//   - http_req_server_timing, http_req_server_timed and http_req_slow_trace are not k6's either (requests.go).
//   - samples is the number of samples in all lines. A file has no end line if the run was killed, the disk was full,
//     or the collector was unavailable. Its lines are correct, and the last one is whole unless the machine crashed.
package series

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

// Delay before a second is written: k6 delivers samples every 50 ms.
const grace = 250 * time.Millisecond

const flushPeriod = time.Second

func init() { output.RegisterExtension("series", New) }

type seriesOutput struct {
	output.SampleBuffer // collects samples without blocking k6

	params  output.Params
	flusher *output.PeriodicFlusher
	fold    *fold // used only by the flusher's goroutine, and by Stop after that has ended
	dest    destination
	watch   *watch // nil if off
	failed  error
}

// New creates the output. Its argument is a file path, or the file's URL at a collector.
func New(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("the series output needs the path of a file: --out series=PATH")
	}
	watch, err := newWatch(params.Environment, os.DirFS("/"))
	if err != nil {
		return nil, fmt.Errorf("the series output: %w", err)
	}
	return &seriesOutput{params: params, fold: newFold(), watch: watch}, nil
}

func (o *seriesOutput) Description() string { return "series (" + o.params.ConfigArgument + ")" }

// Start creates or truncates the file and writes its header. An error here ends the run before it begins.
func (o *seriesOutput) Start() error {
	dest, err := openDestination(o.params, encodeHeader(k6Version(), time.Now()))
	if err != nil {
		return fmt.Errorf("the series output cannot write its file: %w", err)
	}
	o.dest = dest
	o.flusher, err = output.NewPeriodicFlusher(flushPeriod, o.flush)
	return err
}

// Stop writes the remaining samples and the end line. k6 also calls it on SIGINT and SIGTERM.
func (o *seriesOutput) Stop() error {
	o.flusher.Stop()
	o.write(o.fold.takeAll())
	o.write(encodeEnd(time.Now(), o.fold.samples))
	if o.fold.rejected > 0 {
		o.params.Logger.Warnf("series output: skipped %d samples that are not finite numbers or, in a trend, not between 2^-64 and 2^64", o.fold.rejected)
	}
	if err := o.dest.close(); o.failed == nil {
		o.failed = err
	}
	return o.failed
}

func (o *seriesOutput) flush() {
	o.fold.add(o.GetBufferedSamples())
	o.fold.add([]metrics.SampleContainer{o.watch.look(time.Now())})
	o.write(o.fold.takeBefore(time.Now().Add(-grace).Unix()))
}

// write stops at the first error, because lines after a gap would look complete. k6 continues, and the
// missing end line shows that the file is incomplete.
func (o *seriesOutput) write(lines []byte) {
	if o.failed != nil {
		return
	}
	if o.failed = o.dest.write(lines); o.failed != nil {
		o.params.Logger.Errorf("series output: stopped writing: %v", o.failed)
	}
}

// k6Version reads the version from the build info, because k6's own constant is internal.
func k6Version() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return "unknown"
	}
	for _, module := range info.Deps {
		if module.Path == "go.k6.io/k6/v2" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "unknown"
}
