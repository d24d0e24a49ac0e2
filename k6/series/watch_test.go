package series

import (
	"io/fs"
	"maps"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"go.k6.io/k6/v2/metrics"
)

var processFiles = map[string]string{
	"proc/self/stat":                        "7 (k6 (of) ours) S 1 7 7 0 -1 4194304 1 2 3 4 250 50 0 0 20 0 9 0 1 2 3",
	"proc/self/task/7/schedstat":            "9000000000 1000000000 12\n",
	"proc/self/task/8/schedstat":            "9000000000 500000000 12\n",
	"proc/self/task/10/schedstat":           "9000000000 3000000000 12\n",
	"proc/self/fd/0":                        "",
	"proc/self/fd/1":                        "",
	"proc/self/fd/13":                       "",
	"proc/self/limits":                      "Limit   Soft Limit   Hard Limit   Units\nMax open files            1024                 524288               files\n",
	"proc/self/status":                      "Name:\tk6\nVmHWM:\t  9999 kB\nVmRSS:\t  20480 kB\n",
	"proc/stat":                             "cpu  1002 20 300 4000 50 0 70 8 900 3\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
	"proc/net/sockstat":                     "sockets: used 99\nTCP: inuse 40 orphan 0 tw 5 alloc 70 mem 9\nUDP: inuse 3 mem 2\n",
	"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
	"proc/self/cgroup":                      "0::/pod\n",
	"sys/fs/cgroup/pod/cpu.stat":            "usage_usec 9\nnr_periods 100\nnr_throttled 4\nthrottled_usec 77\n",
	"sys/fs/cgroup/pod/cpu.max":             "50000 100000\n",
}

var later = map[string]string{
	"proc/self/stat":             "7 (k6 (of) ours) S 1 7 7 0 -1 4194304 1 2 3 4 325 75 0 0 20 0 9 0 1 2 3",
	"proc/self/task/8/schedstat": "9000 1000 1\n", // a new thread that reuses the number
	"proc/self/task/9/schedstat": "9000000000 250000000 12\n",
	"proc/stat":                  "cpu  1107 20 340 4015 60 10 80 18 999 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
	"sys/fs/cgroup/pod/cpu.stat": "usage_usec 9\nnr_periods 110\nnr_throttled 7\nthrottled_usec 99\n",
}

func TestEachSecondTellsWhatWasUsedSinceTheLast(t *testing.T) {
	root := newRoot(processFiles)
	watch := mustWatch(t, root)
	delete(root, "proc/self/task/10/schedstat") // the wait of an ended thread still counts
	maps.Copy(root, newRoot(later))
	got := valuesByName(watch.look(at(0)))
	if got["generator_seconds"] <= 0 {
		t.Errorf("%g seconds have passed", got["generator_seconds"])
	}
	delete(got, "generator_seconds")
	want := map[string]float64{
		"generator_cpu_seconds": 1, "generator_run_delay_seconds": 0.25, "generator_periods": 10, "generator_throttled_periods": 3,
		"generator_cores_max": 0.5, "generator_open_files": 3, "generator_open_files_limit": 1024,
		"generator_machine_seconds": 2, "generator_machine_busy_seconds": 1.75, "generator_machine_cores": 0.5,
		"generator_time_wait_sockets": 5, "generator_ports_max": 28232, "generator_resident_mb": 20,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestFiguresThatASystemDoesNotHaveAreLeftOut(t *testing.T) {
	watch := mustWatch(t, fstest.MapFS{})
	watch.process.usage = func() rusage { return noUsage }
	got := valuesByName(watch.look(at(0)))
	delete(got, "generator_seconds")
	want := map[string]float64{
		"generator_cores_max": float64(runtime.GOMAXPROCS(0)), "generator_machine_cores": float64(runtime.NumCPU()),
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestASystemWithoutProcIsAskedForItsOwnUsage(t *testing.T) {
	watch := mustWatch(t, fstest.MapFS{})
	used := watch.process.usage()
	watch.process.usage = func() rusage { return rusage{used.cpuSeconds + 2, 20} }
	got := valuesByName(watch.look(at(0)))
	if used.cpuSeconds <= 0 || used.residentMB < 1 {
		t.Errorf("this test has used %v", used)
	}
	if got["generator_cpu_seconds"] < 2 || got["generator_resident_mb"] != 20 {
		t.Errorf("got %v", got)
	}
}

func TestALimitOfCoresIsFoundWhereverItIsMounted(t *testing.T) {
	free := float64(runtime.GOMAXPROCS(0))
	cases := map[string]struct {
		files map[string]string
		want  float64
	}{
		"version 2, as the node sees it": {map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.stat": "", "sys/fs/cgroup/a/b/cpu.max": "25000 100000\n",
		}, 0.25},
		"version 2, as a container does": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.stat": "", "sys/fs/cgroup/cpu.max": "75000 100000\n",
		}, 0.75},
		"of a group around it": {map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.stat": "", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
			"sys/fs/cgroup/a/cpu.max": "30000 100000\n",
		}, 0.3},
		"version 2, without a limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.stat": "", "sys/fs/cgroup/cpu.max": "max 100000\n",
		}, free},
		"version 1, in a container that sees the node's group name": {map[string]string{
			"proc/self/cgroup": "9:name=systemd:/\n4:cpu,cpuacct:/kubepods/pod1/2\n0::/\n", "sys/fs/cgroup/cpu/cpu.stat": "",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "10000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, 0.1},
		"version 1, without a limit": {map[string]string{
			"proc/self/cgroup": "3:cpuset:/x\n1:cpu:/\n", "sys/fs/cgroup/cpu/cpu.stat": "",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, free},
		"more than Go uses": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.stat": "", "sys/fs/cgroup/cpu.max": "99900000 100000\n",
		}, free},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			process := newProcess(newRoot(c.files))
			if got := process.coresMax(); got != c.want {
				t.Errorf("%g cores, want %g", got, c.want)
			}
			if got := process.machineCores(); c.want != free && got != c.want {
				t.Errorf("%g cores of the machine, want %g", got, c.want)
			}
		})
	}
}

func TestThereIsNoWatchUnlessItIsAskedFor(t *testing.T) {
	for asked, want := range map[string]string{"": "", "false": "", "maybe": `K6_SERIES_WATCH must be true or false, not "maybe"`} {
		watch, err := newWatch(map[string]string{"K6_SERIES_WATCH": asked}, fstest.MapFS{})
		if watch != nil || len(watch.look(time.Now())) > 0 {
			t.Errorf("%q: there is one", asked)
		}
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %s", asked, err, want)
		}
	}
}

func newRoot(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func mustWatch(t *testing.T, root fs.FS) *watch {
	t.Helper()
	watch, err := newWatch(map[string]string{"K6_SERIES_WATCH": "true"}, root)
	if err != nil {
		t.Fatal(err)
	}
	return watch
}

func valuesByName(samples metrics.Samples) map[string]float64 {
	values := map[string]float64{}
	for _, sample := range samples {
		values[sample.Metric.Name] = sample.Value
	}
	return values
}
