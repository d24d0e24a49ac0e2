package series

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// These tests run the real binary: the one in BREAKWATER_K6, else one built here.

func TestARealRunIsCountedToTheLastSample(t *testing.T) {
	server := countingServer(t)
	path := filepath.Join(t.TempDir(), "series.ndjson")
	mustExit(t, startK6(t, path, server.URL, "--vus=3", "--iterations=200"), 0)

	file := mustReadWhole(t, mustReadPath(t, path))
	if file.header.K6 != "2.2.0" {
		t.Errorf("the header says k6 %q", file.header.K6)
	}
	if file.counted != file.end.Samples {
		t.Errorf("the lines have %d samples, the end line says %d", file.counted, file.end.Samples)
	}
	for metric, want := range map[string]float64{"iterations": 200, "http_reqs": 200, "tens": 2000, "http_req_failed": 0} {
		if file.sums[metric] != want {
			t.Errorf("%s sums up to %g, want %g", metric, file.sums[metric], want)
		}
	}
	if got := server.requests.Load(); got != 200 {
		t.Errorf("the server had %d requests", got)
	}
}

func TestAnInterruptedRunLeavesAWholeFile(t *testing.T) {
	server := countingServer(t)
	path := filepath.Join(t.TempDir(), "series.ndjson")
	k6 := startK6(t, path, server.URL, "--vus=3", "--duration=10m")
	<-server.warm
	if err := k6.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	mustExit(t, k6, 105)

	file := mustReadWhole(t, mustReadPath(t, path))
	if file.counted != file.end.Samples {
		t.Errorf("the lines have %d samples, the end line says %d", file.counted, file.end.Samples)
	}
	if requests := file.sums["http_reqs"]; requests < warmRequests-3 || requests > float64(server.requests.Load()) {
		t.Errorf("the lines have %g requests, the server had %d", requests, server.requests.Load())
	}
}

func TestAnInterruptedRunEndsAlthoughAReaderIsPaused(t *testing.T) {
	paused := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		socket, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		if _, _, err := socket.ReadMessage(); err == nil {
			close(paused)
		}
		_, _, _ = socket.ReadMessage() // until k6 closes
		_ = socket.Close()
	}))
	t.Cleanup(server.Close)
	const source = `
		import { WebSocket } from 'k6/websockets'
		import { openSocket } from 'k6/x/breakwater/bounds'
		export default function () {
			let socket
			const { pause } = openSocket(() => { socket = new WebSocket(__ENV.URL.replace('http', 'ws')) }, true)
			socket.onopen = () => {
				pause()
				socket.send('paused')
			}
		}`
	k6 := startScript(t, source, filepath.Join(t.TempDir(), "series.ndjson"), server.URL)
	<-paused
	if err := k6.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	mustExit(t, k6, 105)
}

func TestSecondsAreWrittenWhileTheRunGoesOn(t *testing.T) {
	server := countingServer(t)
	pipe := filepath.Join(t.TempDir(), "series.ndjson")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	k6 := startK6(t, pipe, server.URL, "--vus=1", "--duration=10m")
	handle, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()

	lines := bufio.NewScanner(handle)
	for _, want := range []string{`{"type":"header",`, `{"time":`} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("got %q, want %s", lines.Text(), want)
		}
	}
	if err := k6.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = k6.Wait() // killed, as intended
}

func startK6(t *testing.T, series, url string, args ...string) *exec.Cmd {
	t.Helper()
	const source = `
		import http from 'k6/http'
		import { Counter } from 'k6/metrics'
		const tens = new Counter('tens')
		export default function () {
			http.get(__ENV.URL, { tags: { name: 'GET /' } })
			tens.add(10)
		}`
	return startScript(t, source, series, url, args...)
}

// k6 is interrupted if it does not end within a minute.
func startScript(t *testing.T, source, series, url string, args ...string) *exec.Cmd {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.js")
	if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := k6Binary(t) // build before starting the timeout
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	k6 := exec.CommandContext(ctx, binary, append([]string{
		"run", "--quiet", "--no-usage-report", "--summary-mode=disabled", "--out=series=" + series, "--env=URL=" + url, script,
	}, args...)...)
	k6.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false")
	k6.Stderr = t.Output()
	if err := k6.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k6.Process.Kill() })
	return k6
}

func mustExit(t *testing.T, k6 *exec.Cmd, want int) {
	t.Helper()
	if err := k6.Wait(); k6.ProcessState.ExitCode() != want {
		t.Fatalf("k6 exited with %v, want exit code %d", err, want)
	}
}

func k6Binary(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("BREAKWATER_K6"); given != "" {
		return given
	}
	built, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return built
}

var buildFolder string

var buildOnce = sync.OnceValues(func() (string, error) {
	built := filepath.Join(buildFolder, "k6")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", built, "breakwater/k6").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return built, nil
})

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "breakwater-k6-")
	if err != nil {
		panic(err)
	}
	buildFolder = folder
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

const warmRequests = 50

type testServer struct {
	*httptest.Server
	requests *atomic.Int64
	warm     chan struct{} // closed after warmRequests
}

func countingServer(t *testing.T) testServer {
	requests, warm := new(atomic.Int64), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == warmRequests {
			close(warm)
		}
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, "/", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	return testServer{server, requests, warm}
}

func mustReadPath(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestARealRunTellsWhatItUsesUp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("requires Linux /proc")
	}
	t.Setenv("K6_SERIES_WATCH", "true")
	server, path := countingServer(t), filepath.Join(t.TempDir(), "series.ndjson")
	mustExit(t, startK6(t, path, server.URL, "--vus=2", "--iterations=300"), 0)
	file := mustReadWhole(t, mustReadPath(t, path))
	if file.counted != file.end.Samples {
		t.Errorf("the lines have %d samples, the end line says %d", file.counted, file.end.Samples)
	}
	for _, metric := range []string{
		"generator_seconds", "generator_cpu_seconds", "generator_cores_max", "generator_open_files",
		"generator_open_files_limit", "generator_ports_max", "generator_resident_mb", "generator_machine_seconds",
		"generator_machine_busy_seconds", "generator_machine_cores",
	} {
		if file.sums[metric] <= 0 {
			t.Errorf("%s is %g", metric, file.sums[metric])
		}
	}
}

func TestARunThatIsNotWatchedTellsNothingOfItself(t *testing.T) {
	server, path := countingServer(t), filepath.Join(t.TempDir(), "series.ndjson")
	mustExit(t, startK6(t, path, server.URL, "--vus=1", "--iterations=10"), 0)
	if file := mustReadWhole(t, mustReadPath(t, path)); file.sums["generator_cores_max"] != 0 {
		t.Error("it does")
	}
}
