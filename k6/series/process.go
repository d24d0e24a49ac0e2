package series

import (
	"io/fs"
	"math"
	"path"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// process reads Linux's figures of this process, its container, its network and its machine. A figure that the system does
// not have is NaN.
// https://man7.org/linux/man-pages/man5/proc.5.html
type process struct {
	root   fs.FS
	began  time.Time
	cpu    string             // the folder of its control group
	delays map[string]float64 // in nanoseconds by thread, of those that have ended too
	usage  func() rusage      // for systems without proc
}

// USER_HZ, which is 100 on Linux whatever the kernel's own tick rate.
const ticksPerSecond = 100

func newProcess(root fs.FS) *process {
	return &process{root: root, began: time.Now(), cpu: cpuGroup(root), delays: map[string]float64{}, usage: ownUsage}
}

func (p *process) seconds() float64 { return time.Since(p.began).Seconds() }

var afterName = regexp.MustCompile(`(?s)^.*\) (.*)$`) // the program name may contain spaces and parentheses

func (p *process) cpuSeconds() float64 {
	match := afterName.FindStringSubmatch(p.text("proc/self/stat"))
	if match == nil {
		return p.usage().cpuSeconds
	}
	return (field(match[1], 11) + field(match[1], 12)) / ticksPerSecond
}

// runDelaySeconds is the time that runnable threads waited for a core.
func (p *process) runDelaySeconds() float64 {
	const tasks = "proc/self/task"
	for _, thread := range p.names(tasks) {
		if delay := field(p.text(path.Join(tasks, thread, "schedstat")), 1); !math.IsNaN(delay) {
			p.delays[thread] = max(delay, p.delays[thread])
		}
	}
	if len(p.delays) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, delay := range p.delays {
		sum += delay
	}
	return sum / 1e9
}

var (
	periods          = regexp.MustCompile(`(?m)^nr_periods (\d+)$`)
	throttledPeriods = regexp.MustCompile(`(?m)^nr_throttled (\d+)$`)
	quota            = regexp.MustCompile(`^(\d+) (\d+)\n?$`)
	filesLimit       = regexp.MustCompile(`(?m)^Max open files +(\d+)`)
	tcpTimeWait      = regexp.MustCompile(`(?m)^TCP: .*\btw (\d+)`)
	residentKB       = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB`)
)

// periods counts scheduler periods, usually 100 ms each, in which the container was runnable under a CPU
// limit.
func (p *process) periods() float64 { return number(periods, p.text(path.Join(p.cpu, "cpu.stat"))) }

// throttledPeriods counts the periods in which the container was throttled.
func (p *process) throttledPeriods() float64 {
	return number(throttledPeriods, p.text(path.Join(p.cpu, "cpu.stat")))
}

// coresMax is the container's limit, or how many threads Go runs at a time, which it takes from the limit, rounded up.
func (p *process) coresMax() float64 { return min(float64(runtime.GOMAXPROCS(0)), p.quota()) }

// machineCores are those that all processes of its kind share: the cores it may run on, and the container's limit.
func (p *process) machineCores() float64 { return min(float64(runtime.NumCPU()), p.quota()) }

// quota is the least limit of cores of the control group and of those around it.
func (p *process) quota() float64 {
	least := math.Inf(1)
	for folder := p.cpu; strings.HasPrefix(folder, cgroups); folder = path.Dir(folder) {
		limit := p.text(path.Join(folder, "cpu.max"))
		if limit == "" { // a control group of version 1
			limit = strings.TrimSpace(p.text(path.Join(folder, "cpu.cfs_quota_us"))) + " " + p.text(path.Join(folder, "cpu.cfs_period_us"))
		}
		if match := quota.FindStringSubmatch(limit); match != nil {
			least = min(least, parsed(match[1])/parsed(match[2]))
		}
	}
	return least
}

var machineTimes = regexp.MustCompile(`(?m)^cpu +(.+)$`)

// machineSeconds are those of all cores of the machine. Those of guests are within those of users.
func (p *process) machineSeconds() float64 {
	return p.machineTicks("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal") / ticksPerSecond
}

// machineBusySeconds has the time that a hypervisor took: no process of this machine had it.
func (p *process) machineBusySeconds() float64 {
	return p.machineTicks("user", "nice", "system", "irq", "softirq", "steal") / ticksPerSecond
}

var ticksAt = map[string]int{"user": 0, "nice": 1, "system": 2, "idle": 3, "iowait": 4, "irq": 5, "softirq": 6, "steal": 7}

func (p *process) machineTicks(names ...string) (sum float64) {
	match := machineTimes.FindStringSubmatch(p.text("proc/stat"))
	if match == nil {
		return math.NaN()
	}
	for _, name := range names {
		sum += field(match[1], ticksAt[name])
	}
	return sum
}

func (p *process) openFiles() float64 {
	if names := p.names("proc/self/fd"); names != nil {
		return float64(len(names))
	}
	return math.NaN()
}

func (p *process) openFilesLimit() float64 { return number(filesLimit, p.text("proc/self/limits")) }

// timeWaitSockets are closed TCP sockets whose ports are not free yet.
func (p *process) timeWaitSockets() float64 { return number(tcpTimeWait, p.text("proc/net/sockstat")) }

func (p *process) portsMax() float64 {
	told := p.text("proc/sys/net/ipv4/ip_local_port_range")
	return field(told, 1) - field(told, 0) + 1
}

func (p *process) residentMB() float64 {
	if status := p.text("proc/self/status"); status != "" {
		return number(residentKB, status) / 1024
	}
	return p.usage().residentMB
}

// rusage is what any Unix knows of a process of its own.
type rusage struct{ cpuSeconds, residentMB float64 }

var noUsage = rusage{math.NaN(), math.NaN()}

// text is empty if there is no such file, or this user may not read it.
func (p *process) text(name string) string {
	content, _ := fs.ReadFile(p.root, name)
	return string(content)
}

func (p *process) names(folder string) (names []string) {
	entries, _ := fs.ReadDir(p.root, folder)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// field returns the n-th number, from 0, of a line separated by white space.
func field(text string, place int) float64 {
	fields := strings.Fields(text)
	if place >= len(fields) {
		return math.NaN()
	}
	return parsed(fields[place])
}

func number(pattern *regexp.Regexp, text string) float64 {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return math.NaN()
	}
	return parsed(match[1])
}

func parsed(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return value
}

const cgroups = "sys/fs/cgroup"

var groupPatterns = map[string]*regexp.Regexp{
	"sys/fs/cgroup/cpu": regexp.MustCompile(`(?m)^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(/.*)$`), // version 1
	"sys/fs/cgroup":     regexp.MustCompile(`(?m)^0::(/.*)$`),                            // version 2
}

// cpuGroup returns the folder of the control group that limits this process's cores, or "" without such a limit.
// In a container, /proc may name the group by its path on the node although it is mounted as the container's
// root.
func cpuGroup(root fs.FS) string {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for _, mount := range []string{"sys/fs/cgroup/cpu", "sys/fs/cgroup"} {
		match := groupPatterns[mount].FindSubmatch(groups)
		if match == nil {
			continue
		}
		for _, folder := range []string{path.Join(mount, string(match[1])), mount} {
			if _, err := fs.Stat(root, path.Join(folder, "cpu.stat")); err == nil {
				return folder
			}
		}
	}
	return ""
}
