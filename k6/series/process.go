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

// process reads what Linux tells of this process, its container and its network: NaN for what it does not.
// https://man7.org/linux/man-pages/man5/proc.5.html
type process struct {
	root   fs.FS
	began  time.Time
	cpu    string             // the folder of its control group
	delays map[string]float64 // in nanoseconds by thread, of those that have ended too
}

// Of Linux, whatever the kernel's own ticks are.
const ticksPerSecond = 100

func newProcess(root fs.FS) *process {
	return &process{root: root, began: time.Now(), cpu: cpuGroup(root), delays: map[string]float64{}}
}

func (p *process) seconds() float64 { return time.Since(p.began).Seconds() }

var afterName = regexp.MustCompile(`(?s)^.*\) (.*)$`) // a program's name may have spaces and parentheses of its own

func (p *process) cpuSeconds() float64 {
	match := afterName.FindStringSubmatch(p.text("proc/self/stat"))
	if match == nil {
		return math.NaN()
	}
	return (field(match[1], 11) + field(match[1], 12)) / ticksPerSecond
}

// runDelaySeconds is the time that threads could have run and had no core.
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
	tcpSockets       = regexp.MustCompile(`(?m)^TCP6?: inuse (\d+)`)
	tcpTimeWait      = regexp.MustCompile(`(?m)^TCP: .*\btw (\d+)`)
	residentKB       = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB`)
)

// periods are those of the scheduler, of 100 ms as a rule, in which the container had work and a limit of cores.
func (p *process) periods() float64 { return number(periods, p.text(path.Join(p.cpu, "cpu.stat"))) }

// throttledPeriods are those in which it came to the limit, and then stood still.
func (p *process) throttledPeriods() float64 {
	return number(throttledPeriods, p.text(path.Join(p.cpu, "cpu.stat")))
}

// coresMax is the container's limit, or how many threads Go runs at a time, which it takes from the limit, rounded up.
func (p *process) coresMax() float64 {
	limit := p.text(path.Join(p.cpu, "cpu.max"))
	if limit == "" { // a control group of version 1
		limit = strings.TrimSpace(p.text(path.Join(p.cpu, "cpu.cfs_quota_us"))) + " " + p.text(path.Join(p.cpu, "cpu.cfs_period_us"))
	}
	cores := float64(runtime.GOMAXPROCS(0))
	if match := quota.FindStringSubmatch(limit); match != nil {
		cores = min(cores, field(match[0], 0)/field(match[0], 1))
	}
	return cores
}

func (p *process) openFiles() float64 {
	if names := p.names("proc/self/fd"); names != nil {
		return float64(len(names))
	}
	return math.NaN()
}

func (p *process) openFilesLimit() float64 { return number(filesLimit, p.text("proc/self/limits")) }

// portsUsed are those of the network that the container has to itself: TCP sockets, and those closed that are not free yet.
func (p *process) portsUsed() float64 {
	told := p.text("proc/net/sockstat")
	used := number(tcpSockets, told) + number(tcpTimeWait, told)
	if six := number(tcpSockets, p.text("proc/net/sockstat6")); !math.IsNaN(six) {
		used += six
	}
	return used
}

func (p *process) portsMax() float64 {
	told := p.text("proc/sys/net/ipv4/ip_local_port_range")
	return field(told, 1) - field(told, 0) + 1
}

func (p *process) residentMB() float64 { return number(residentKB, p.text("proc/self/status")) / 1024 }

// text is empty where there is no such file, or not for this user.
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

// field is the number at a place, from 0, between white space.
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
