package series

import (
	"fmt"
	"path/filepath"
	"testing"
)

// runArrivals runs iterations of a real k6, ten per second for a second.
func runArrivals(t *testing.T, iteration string, exitCode int) (wholeFile, testServer) {
	t.Helper()
	return runArrivalsAt(t, 10, iteration, exitCode)
}

func runArrivalsAt(t *testing.T, rate int, iteration string, exitCode int) (wholeFile, testServer) {
	t.Helper()
	server, path := countingServer(t), filepath.Join(t.TempDir(), "series.ndjson")
	source := fmt.Sprintf(`
		import http from 'k6/http'
		import { sleep } from 'k6'
		import exec from 'k6/execution'
		export const options = { scenarios: { s: {
			executor: 'breakwater-arrivals', arrivals: 'even', stages: [{ seconds: 1, from: %d, to: %d }], vus: 1,
		} } }
		export default function () { %s }`, rate, rate, iteration)
	mustExit(t, startScript(t, source, path, server.URL), exitCode)
	return mustReadWhole(t, mustReadPath(t, path)), server
}

func TestOnlyTheFirstRequestOfAnIterationCanBeLate(t *testing.T) {
	file, server := runArrivals(t, `
		sleep(0.02)
		http.get(__ENV.URL)
		http.get(__ENV.URL)`, 0)
	iterations := file.counts["iteration_duration"]
	if iterations == 0 || float64(iterations)+file.sums["dropped_iterations"] != 10 {
		t.Fatalf("%d iterations, %g dropped", iterations, file.sums["dropped_iterations"])
	}
	requests := uint64(server.requests.Load())
	if file.counts["http_req_since_due"] != requests || requests != 2*iterations || file.counts["http_req_lateness"] != iterations {
		t.Errorf("%d iterations sent %d requests; %v", iterations, requests, file.counts)
	}
	late, took, since := file.sums["http_req_lateness"], file.sums["http_req_duration"], file.sums["http_req_since_due"]
	if late < 20*float64(iterations) {
		t.Errorf("the sleep before the first request is missing: %g ms for %d iterations", late, iterations)
	}
	if blocked := file.sums["http_req_blocked"]; since < late+took || since > late+took+blocked+file.sums["http_req_connecting"]+0.001 {
		t.Errorf("%g ms since due; %g late, %g took, %g blocked", since, late, took, blocked)
	}
}

func TestRedirectsAndBatchesAreLateOnce(t *testing.T) {
	for iteration, each := range map[string]uint64{
		`http.get(__ENV.URL + '/redirect')`:     2,
		`http.batch(Array(12).fill(__ENV.URL))`: 12, // k6 sends 6 at a time
	} {
		file, server := runArrivals(t, iteration, 0)
		iterations, requests := file.counts["iteration_duration"], uint64(server.requests.Load())
		if iterations == 0 || requests != each*iterations {
			t.Fatalf("%s: %d requests of %d iterations", iteration, requests, iterations)
		}
		if file.counts["http_req_since_due"] != requests || file.counts["http_req_lateness"] != iterations {
			t.Errorf("%s: %d iterations; %v", iteration, iterations, file.counts)
		}
	}
}

func TestAnIterationNeedsAFreeVU(t *testing.T) {
	file, _ := runArrivals(t, `sleep(2)`, 0)
	if file.sums["due_iterations"] != 10 || file.sums["dropped_iterations"] != 9 || file.sums["iterations"] != 1 {
		t.Errorf("%g due, %g dropped, %g iterations", file.sums["due_iterations"], file.sums["dropped_iterations"], file.sums["iterations"])
	}
}

func TestTheArrivalAtTheStartIsNotDropped(t *testing.T) {
	file, _ := runArrivalsAt(t, 1, "", 0)
	if file.sums["dropped_iterations"] != 0 || file.sums["iterations"] != 1 {
		t.Errorf("%g dropped, %g iterations", file.sums["dropped_iterations"], file.sums["iterations"])
	}
}

func TestAnIterationCanAbortTheRun(t *testing.T) {
	const aborted = 108
	runArrivals(t, `exec.test.abort('enough')`, aborted)
}

func TestAnIterationThatFailsDoesNotEndTheRun(t *testing.T) {
	if file, _ := runArrivals(t, `throw new Error('no')`, 0); file.sums["iterations"]+file.sums["dropped_iterations"] != 10 {
		t.Errorf("%v", file.sums)
	}
}
