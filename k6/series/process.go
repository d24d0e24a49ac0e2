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

// process reads usage of this process, its container and its network from Linux. Values are NaN if
// unavailable.
// https://man7.org/linux/man-pages/man5/proc.5.html
type process struct {
	root   fs.FS
	began  time.Time
	cpu    string             // folder of its control group
	delays map[string]float64 // nanoseconds by thread, including ended threads
}

// USER_HZ, which is 100 on Linux whatever the kernel's own tick rate.
const ticksPerSecond = 100

func newProcess(root fs.FS) *process {
	return &process{root: root, began: time.Now(), cpu: cpuGroup(root), delays: map[string]float64{}}
}

func (p *process) seconds() float64 { return time.Since(p.began).Seconds() }

var afterName = regexp.MustCompile(`(?s)^.*\) (.*)$`) // the program name may contain spaces and parentheses

func (p *process) cpuSeconds() float64 {
	match := afterName.FindStringSubmatch(p.text("proc/self/stat"))
	if match == nil {
		return math.NaN()
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
	tcpSockets       = regexp.MustCompile(`(?m)^TCP6?: inuse (\d+)`)
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

// coresMax is the container's CPU limit, or else GOMAXPROCS, which Go derives from the limit, rounded up.
func (p *process) coresMax() float64 {
	limit := p.text(path.Join(p.cpu, "cpu.max"))
	if limit == "" { // cgroup version 1
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

// portsUsed counts open TCP sockets and closed ones in TIME_WAIT in the container's network namespace.
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

// text returns "" if the file does not exist or is not readable.
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
