//go:build unix

package run

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, user and system.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
