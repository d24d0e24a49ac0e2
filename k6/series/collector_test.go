package series

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/output"
)

const testHeader = "{\"type\":\"header\"}\n"

func quickBounds() collectorBounds {
	return collectorBounds{bytesHeld: 64 << 20, start: 10 * time.Second, stop: 10 * time.Second, pause: time.Millisecond}
}

func TestWhateverBecomesOfTheConnectionAllLinesArriveOnceAndInOrder(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 4))
			collector := startCollector(t, func(int) trouble { return trouble(random.IntN(7)) * trouble(random.IntN(2)) })
			file := mustOpen(t, collector, quickBounds(), io.Discard)
			written := bytes.NewBufferString(testHeader)
			for line := range 300 {
				lines := []byte(strings.Repeat(fmt.Sprintf("line %d of seed %d\n", line, seed), line%7))
				written.Write(lines)
				if err := file.write(lines); err != nil {
					t.Fatal(err)
				}
			}
			if err := file.close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(collector.holds(), written.Bytes()) {
				t.Errorf("wrote %d bytes, the collector has %d others", written.Len(), len(collector.holds()))
			}
		})
	}
}

func TestACollectorThatStartsAgainGetsTheRest(t *testing.T) {
	collector := startCollector(t, nil)
	var log bytes.Buffer
	file := mustOpen(t, collector, quickBounds(), &log)
	address := collector.Listener.Addr().String()
	collector.Close()
	mustWrite(t, file, "while it was away\n")

	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	again := httptest.NewUnstartedServer(http.HandlerFunc(collector.serve))
	_ = again.Listener.Close()
	again.Listener = listener
	again.Start()
	t.Cleanup(again.Close)
	mustWrite(t, file, "when it was back\n")
	if err := file.close(); err != nil {
		t.Fatal(err)
	}
	if got, want := string(collector.holds()), testHeader+"while it was away\nwhen it was back\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTroublesAreToldOnceAndTheirEndToo(t *testing.T) {
	cases := map[string]struct {
		trouble func(int) trouble
		logged  []string
	}{
		"one cut":     {between(1, 2, cutAfter), nil},
		"unavailable": {between(1, 5, unavailable), []string{`the collector returned 503 Service Unavailable: \"\"`, "the collector accepts lines again"}},
		"full disk":   {between(1, 5, diskFull), []string{`the collector returned 507 Insufficient Storage: \"no space left\\n\"`, "the collector accepts lines again"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			collector := startCollector(t, c.trouble)
			file := mustOpen(t, collector, quickBounds(), &log)
			mustWrite(t, file, "a line\n")
			if err := file.close(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(log.String(), "series output:"); got != len(c.logged) {
				t.Errorf("logged %d times:\n%s", got, log.String())
			}
			for _, text := range c.logged {
				if !strings.Contains(log.String(), text) {
					t.Errorf("does not tell %q:\n%s", text, log.String())
				}
			}
			if got := string(collector.holds()); got != testHeader+"a line\n" {
				t.Errorf("the collector has %q", got)
			}
		})
	}
}

func TestTheRunDoesNotBeginWithoutItsCollector(t *testing.T) {
	hello := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello\x1b[2J") }))
	t.Cleanup(hello.Close)
	moved := httptest.NewServer(http.RedirectHandler(hello.URL, http.StatusFound))
	t.Cleanup(moved.Close)
	used, guarded := startCollector(t, nil), startCollector(t, nil)
	used.file, guarded.token = []byte(testHeader), "right"
	cases := map[string]struct{ url, want string }{
		"no file":         {hello.URL, "a collector's URL looks like http://collector:8090/files/series.ndjson, not " + hello.URL},
		"no URL":          {"http://[", `parse "http://[": missing ']' in host`},
		"no collector":    {hello.URL + "/x", `not a collector: it returned 200 OK with "hello\x1b[2J"`},
		"elsewhere":       {moved.URL + "/x", `the collector returned 302 Found: ""`},
		"a wrong token":   {guarded.url(), "the collector returned 401 Unauthorized: K6_SERIES_TOKEN is not its token"},
		"somebody's file": {used.url(), "the collector has a file of that name already"},
		"nobody there":    {"http://127.0.0.1:1/files/x", "the collector has not accepted the last 18 bytes in time: Post \"http://127.0.0.1:1/files/x?offset=0\": dial tcp 127.0.0.1:1: connect: connection refused"},
		"never available": {startCollector(t, always(unavailable)).url(), `the collector has not accepted the last 18 bytes in time: the collector returned 503 Service Unavailable: ""`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			brief := quickBounds()
			brief.start = 50 * time.Millisecond
			_, err := openCollectorFileWithin(brief, newParams(c.url, "wrong\n", io.Discard), []byte(testHeader))
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestACollectorThatHasAnotherFileNowGetsNoMore(t *testing.T) {
	cases := map[string]struct{ file, want string }{
		"lost":    {"", "the collector has lost data: its file has 0 bytes instead of 18"},
		"foreign": {testHeader + "of somebody else\n", "another process writes to the collector's file: it has 35 bytes, and 25 were sent"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			collector := startCollector(t, nil)
			file := mustOpen(t, collector, quickBounds(), io.Discard)
			collector.lock.Lock()
			collector.file = []byte(c.file)
			collector.lock.Unlock()
			mustWrite(t, file, "a line\n")
			if err := file.close(); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if got := string(collector.holds()); got != c.file {
				t.Errorf("the collector has %q", got)
			}
		})
	}
}

func TestMoreThanMayBeHeldIsRefusedAndTheRestArrives(t *testing.T) {
	away := make(chan struct{})
	collector := startCollector(t, func(post int) trouble {
		if post > 0 {
			<-away
		}
		return none
	})
	narrow := quickBounds()
	narrow.bytesHeld = 10
	file := mustOpen(t, collector, narrow, io.Discard)
	mustWrite(t, file, "first\n")
	err := file.write([]byte("second\n"))
	if want := "the collector has not accepted the last 6 bytes, and the buffer is full"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	close(away)
	if err := file.close(); err != nil {
		t.Fatal(err)
	}
	if got := string(collector.holds()); got != testHeader+"first\n" {
		t.Errorf("the collector has %q", got)
	}
}

func TestAtTheEndTheCollectorHasItsTimeAndNoMore(t *testing.T) {
	collector := startCollector(t, between(1, 1<<30, unavailable))
	brief := quickBounds()
	brief.stop = 20 * time.Millisecond
	file := mustOpen(t, collector, brief, io.Discard)
	mustWrite(t, file, "a line\n")
	want := `the collector has not accepted the last 7 bytes in time: the collector returned 503 Service Unavailable: ""`
	if err := file.close(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestMuchIsSentInParts(t *testing.T) {
	collector := startCollector(t, nil)
	file := mustOpen(t, collector, quickBounds(), io.Discard)
	lines := strings.Repeat(strings.Repeat("x", 999)+"\n", 5000)
	mustWrite(t, file, lines)
	if err := file.close(); err != nil {
		t.Fatal(err)
	}
	if got := string(collector.holds()); got != testHeader+lines {
		t.Errorf("the collector has %d bytes", len(got))
	}
	if collector.longest > postBytes || collector.longest < postBytes-1000 {
		t.Errorf("the longest post had %d bytes", collector.longest)
	}
}

func TestThroughASlowLineLessIsSentAtOnce(t *testing.T) {
	collector := startCollector(t, nil)
	collector.throughput = 20_000
	file := mustOpen(t, collector, quickBounds(), io.Discard)
	lines := strings.Repeat(strings.Repeat("x", 999)+"\n", 300)
	mustWrite(t, file, lines)
	if err := file.close(); err != nil {
		t.Fatal(err)
	}
	if got := string(collector.holds()); got != testHeader+lines {
		t.Errorf("the collector has %d bytes", len(got))
	}
}

func mustOpen(t *testing.T, collector *fakeCollector, within collectorBounds, log io.Writer) *collectorFile {
	t.Helper()
	file, err := openCollectorFileWithin(within, newParams(collector.url(), "", log), []byte(testHeader))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func newParams(url, token string, log io.Writer) output.Params {
	logger := logrus.New()
	logger.SetOutput(log)
	return output.Params{ConfigArgument: url, Logger: logger, Environment: map[string]string{"K6_SERIES_TOKEN": token}}
}

func mustWrite(t *testing.T, file *collectorFile, lines string) {
	t.Helper()
	if err := file.write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
}

func TestABacklogGivesBackWhatItWasGivenInWholeLines(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		var backlog backlog
		var given, taken []byte
		for range 40 {
			lines := randomLines(random)
			backlog.add(lines)
			given = append(given, lines...)
			part := backlog.first(1 + random.IntN(60))
			if len(part) > 0 && part[len(part)-1] != '\n' {
				t.Fatalf("seed %d: %q is no whole lines", seed, part)
			}
			cut := random.IntN(len(part) + 1) // somewhere within a line, too
			taken = append(taken, part[:cut]...)
			backlog.drop(cut)
			if want := len(given) - len(taken); backlog.size != want {
				t.Fatalf("seed %d: holds %d bytes, should %d", seed, backlog.size, want)
			}
		}
		if rest := backlog.first(1 << 20); !bytes.Equal(append(taken, rest...), given) {
			t.Fatalf("seed %d: got others than given", seed)
		}
	}
}

func TestALineLongerThanTheLimitIsGivenWhole(t *testing.T) {
	var backlog backlog
	backlog.add([]byte("a long line\nb\n"))
	if got := string(backlog.first(5)); got != "a long line\n" {
		t.Errorf("got %q", got)
	}
}

func randomLines(random *rand.Rand) []byte {
	var lines []byte
	for range random.IntN(4) {
		lines = append(append(lines, bytes.Repeat([]byte{'x'}, random.IntN(40))...), '\n')
	}
	return lines
}
