package main

import (
	"os"
	"syscall"
)

// peakOf is the most memory that an ended process had, in bytes.
func peakOf(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
