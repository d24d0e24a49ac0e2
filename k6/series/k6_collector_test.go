package series

import (
	"bytes"
	"os"
	"testing"
)

func TestARealRunIsCountedAtItsCollector(t *testing.T) {
	server, collector := countingServer(t), startCollector(t, between(3, 6, cutAndMidway))
	collector.token = "kept from everybody"
	t.Setenv("K6_SERIES_TOKEN", collector.token)
	mustExit(t, startK6(t, collector.url(), server.URL, "--vus=3", "--iterations=200"), 0)

	file := mustReadWhole(t, collector.holds())
	if file.counted != file.end.Samples {
		t.Errorf("the lines have %d samples, the end line says %d", file.counted, file.end.Samples)
	}
	if got := file.sums["http_reqs"]; got != 200 {
		t.Errorf("the lines have %g requests", got)
	}
}

func TestAnInterruptedRunIsWholeAtItsCollector(t *testing.T) {
	server, collector := countingServer(t), startCollector(t, nil)
	k6 := startK6(t, collector.url(), server.URL, "--vus=3", "--duration=10m")
	<-server.warm
	if err := k6.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	mustExit(t, k6, 105)
	if file := mustReadWhole(t, collector.holds()); file.counted != file.end.Samples || file.sums["http_reqs"] < warmRequests-3 {
		t.Errorf("the lines have %d samples, the end line says %d", file.counted, file.end.Samples)
	}
}

func TestWhatAKilledRunHadMeasuredIsAtItsCollector(t *testing.T) {
	server := countingServer(t)
	second := make(chan struct{})
	collector := startCollector(t, func(post int) trouble {
		if post == 2 {
			close(second) // so that the file has the first second
		}
		return none
	})
	k6 := startK6(t, collector.url(), server.URL, "--vus=1", "--duration=10m")
	<-second
	if err := k6.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = k6.Wait() // killed, as intended

	lines := bytes.SplitAfter(collector.holds(), []byte("\n"))
	var header headerLine
	var first countLine
	mustParse(t, lines[0], &header)
	mustParse(t, lines[1], &first)
	if header.Type != "header" || first.Time == 0 || len(lines[len(lines)-1]) != 0 {
		t.Errorf("it has:\n%s", bytes.Join(lines, nil))
	}
}
