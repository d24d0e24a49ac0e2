package series

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/afero"
	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

func TestEverySampleOfConcurrentAddersIsInTheFile(t *testing.T) {
	const adders, batches, perBatch = 8, 5000, 7
	files := fsext.NewMemMapFs()
	out := mustStart(t, files, io.Discard)
	flushEveryMillisecond(t, out)
	registry := metrics.NewRegistry()
	wait := registry.MustNewMetric("wait", metrics.Trend, metrics.Time)

	var group sync.WaitGroup
	for adder := range adders {
		group.Go(func() {
			tags := registry.RootTagSet().With("adder", string(rune('a'+adder)))
			for batch := range batches {
				samples := make(metrics.Samples, perBatch)
				for i := range samples {
					samples[i] = newSample(wait, tags, time.Now(), float64(batch))
				}
				out.AddMetricSamples([]metrics.SampleContainer{samples})
			}
		})
	}
	group.Wait()
	if err := out.Stop(); err != nil {
		t.Fatal(err)
	}

	file := mustReadWhole(t, mustRead(t, files))
	if want := uint64(adders * batches * perBatch); file.end.Samples != want || file.counted != want {
		t.Errorf("added %d, the lines have %d, the end line says %d", want, file.counted, file.end.Samples)
	}
}

func TestTheFileBeginsWithAHeaderAndEndsWithAnEndLine(t *testing.T) {
	files := fsext.NewMemMapFs()
	if err := mustStart(t, files, io.Discard).Stop(); err != nil {
		t.Fatal(err)
	}
	const moment = `"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`
	want := regexp.MustCompile(`^{"type":"header","format":2,"k6":"[^"]+","start":` + moment + `,"scale":7}` + "\n" +
		`{"type":"end","time":` + moment + `,"samples":0}` + "\n$")
	if got := mustRead(t, files); !want.Match(got) {
		t.Errorf("got:\n%s", got)
	}
}

func TestTimesAreWrittenInUTCToTheMillisecond(t *testing.T) {
	moment := time.Date(2026, 1, 2, 5, 4, 5, 678_999_999, time.FixedZone("", 2*60*60))
	if got := string(encodeHeader("2.2.0", moment)); got != `{"type":"header","format":2,"k6":"2.2.0","start":"2026-01-02T03:04:05.678Z","scale":7}`+"\n" {
		t.Error(got)
	}
}

func TestAFullDiskIsReportedOnceAndLeavesWholeLines(t *testing.T) {
	var log bytes.Buffer
	files := fsext.NewMemMapFs()
	out := mustStart(t, fullDisk{files, 300}, &log)
	registry := metrics.NewRegistry()
	hits := registry.MustNewMetric("hits", metrics.Counter)
	out.(*seriesOutput).flusher.Stop() // from here on, this test flushes
	for second := range 4 {
		out.AddMetricSamples([]metrics.SampleContainer{newSample(hits, registry.RootTagSet(), at(time.Duration(second)*time.Second), 1)})
		out.(*seriesOutput).flush()
	}

	if err := out.Stop(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Stop says %v", err)
	}
	if count := strings.Count(log.String(), "series output: stopped writing: no space left"); count != 1 {
		t.Errorf("reported %d times:\n%s", count, log.String())
	}
	lines := strings.SplitAfter(string(mustRead(t, files)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[2], `{"time":1767323046,`) || lines[3] != "" {
		t.Errorf("got %d lines: %q", len(lines), lines)
	}
}

func TestTheRunDoesNotBeginWithoutItsFile(t *testing.T) {
	cases := map[string]struct {
		path  string
		files fsext.Fs
		want  string
	}{
		"no path":        {"", fsext.NewMemMapFs(), "the series output needs the path of a file: --out series=PATH"},
		"read-only disk": {"series.ndjson", fsext.NewReadOnlyFs(fsext.NewMemMapFs()), "the series output cannot write its file: operation not permitted"},
		"full disk":      {"series.ndjson", fullDisk{fsext.NewMemMapFs(), 10}, "the series output cannot write its file: no space left"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := New(output.Params{ConfigArgument: c.path, FS: c.files, Logger: logrus.New()})
			if err == nil {
				err = out.Start()
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestSamplesThatAreNotNumbersAreMentionedAtTheEnd(t *testing.T) {
	var log bytes.Buffer
	out := mustStart(t, fsext.NewMemMapFs(), &log)
	out.(*seriesOutput).fold.rejected = 2
	if err := out.Stop(); err != nil {
		t.Fatal(err)
	}
	if want := "series output: skipped 2 samples that are not finite numbers or, in a trend, not between 2^-64 and 2^64"; !strings.Contains(log.String(), want) {
		t.Errorf("log: %s", log.String())
	}
}

// flushEveryMillisecond makes many flushes run concurrently with the adders.
func flushEveryMillisecond(t *testing.T, out output.Output) {
	t.Helper()
	o, err := out.(*seriesOutput), error(nil)
	o.flusher.Stop()
	if o.flusher, err = output.NewPeriodicFlusher(time.Millisecond, o.flush); err != nil {
		t.Fatal(err)
	}
}

func mustStart(t *testing.T, files fsext.Fs, log io.Writer) output.Output {
	t.Helper()
	logger := logrus.New()
	logger.SetOutput(log)
	out, err := New(output.Params{ConfigArgument: "series.ndjson", FS: files, Logger: logger})
	if err == nil {
		err = out.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustRead(t *testing.T, files fsext.Fs) []byte {
	t.Helper()
	content, err := fsext.ReadFile(files, "series.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

type wholeFile struct {
	header  headerLine
	end     endLine
	counted uint64
	sums    map[string]float64 // by metric
	counts  map[string]uint64  // by metric
}

// mustReadWhole fails unless the content is a header, valid lines and an end line.
func mustReadWhole(t *testing.T, content []byte) wholeFile {
	t.Helper()
	lines := bytes.SplitAfter(content, []byte("\n"))
	if len(lines) < 3 || len(lines[len(lines)-1]) != 0 {
		t.Fatalf("not whole:\n%s", content)
	}
	file := wholeFile{sums: map[string]float64{}, counts: map[string]uint64{}}
	mustParse(t, lines[0], &file.header)
	mustParse(t, lines[len(lines)-2], &file.end)
	if file.header.Type != "header" || file.end.Type != "end" {
		t.Fatalf("not whole: begins with %s and ends with %s", lines[0], lines[len(lines)-2])
	}
	for _, text := range lines[1 : len(lines)-2] {
		var line countLine
		mustParse(t, text, &line)
		file.counted += line.Count
		file.sums[line.Metric] += line.Sum
		file.counts[line.Metric] += line.Count
	}
	return file
}

func mustParse(t *testing.T, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
}

// fullDisk creates files that accept a limited number of bytes, and the beginning of the write that exceeds
// it.
type fullDisk struct {
	fsext.Fs
	bytes int
}

func (d fullDisk) Create(name string) (afero.File, error) {
	file, err := d.Fs.Create(name)
	return &fullDiskFile{file, d.bytes}, err
}

type fullDiskFile struct {
	afero.File
	left int
}

func (f *fullDiskFile) Write(p []byte) (int, error) {
	fits := min(len(p), f.left)
	f.left -= fits
	written, err := f.File.Write(p[:fits])
	if err == nil && fits < len(p) {
		err = errors.New("no space left")
	}
	return written, err
}
