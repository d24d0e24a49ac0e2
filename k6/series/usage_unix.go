//go:build unix

package series

import (
	"runtime"
	"syscall"
)

// ownUsage asks the system itself: macOS has no proc. Of memory it has only the peak.
func ownUsage() rusage {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return noUsage
	}
	unit := 1 << 10
	if runtime.GOOS == "darwin" {
		unit = 1 << 20
	}
	cpu := usage.Utime.Nano() + usage.Stime.Nano()
	return rusage{cpuSeconds: float64(cpu) / 1e9, residentMB: float64(usage.Maxrss) / float64(unit)}
}
