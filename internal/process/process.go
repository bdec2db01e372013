// Package process counts what this process holds: goroutines, sockets and child
// processes. It may be used from any goroutine.
package process

import (
	"context"
	"runtime"
	"time"

	"mcpstorm/internal/clock"
)

// The counts that every process has. Sockets and children are counted on Linux alone,
// and are absent elsewhere.
const (
	Goroutines = "goroutines"
	Sockets    = "sockets"
	Children   = "children"
)

// Counts is how many of each this process holds now. It asks the kernel about every
// open descriptor, which takes some microseconds for each: it is for the ends of
// cycles, and not for every call.
func Counts() map[string]int64 {
	counts := map[string]int64{Goroutines: int64(runtime.NumGoroutine())}
	addKernelCounts(counts)
	return counts
}

// The wait for quiet.
const (
	quietWithin = 2 * time.Second
	quietEvery  = 10 * time.Millisecond
)

// Quiet counts again and again until nothing exceeds its base, and returns the last
// counts. What still does after two seconds, or when ctx ends, stays behind.
func Quiet(ctx context.Context, c clock.Clock, base map[string]int64, count func() map[string]int64) map[string]int64 {
	for start := c.Now(); ; {
		counts := count()
		if !exceeds(counts, base) || c.Since(start) >= quietWithin || c.Sleep(ctx, quietEvery) != nil {
			return counts
		}
	}
}

func exceeds(counts, base map[string]int64) bool {
	for name, n := range counts {
		if n > base[name] {
			return true
		}
	}
	return false
}
