//go:build !unix

package run

import "time"

// cpuTime is zero: the system has no getrusage.
func cpuTime() time.Duration { return 0 }
