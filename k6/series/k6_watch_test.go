package series

import (
	"path/filepath"
	"runtime"
	"testing"
)

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
