package run

import (
	"fmt"
	"runtime"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

// The limits above which the generator, and not its target, shaped what was
// measured.
const (
	lateLimit = 10 * time.Millisecond // p99 of how late arrivals started
	cpuLimit  = 0.9                   // of all processors
)

// Generator is what one arm asked of the process that made the load: script,
// clients, fault layer, recorders, and the reference servers that are not
// isolated.
type Generator struct {
	Arm string
	// CPU is the processor time that the process used while the arm ran, user and
	// system, and Wall how long that was. CPU is zero where it cannot be had.
	CPU, Wall time.Duration
	// CPUs is how many processors it had.
	CPUs int
	// Scenarios are the arm's, with how late their arrivals started.
	Scenarios []engine.ScenarioResult
}

// Busy is how much of all processors the process used, from 0 to 1.
func (g Generator) Busy() float64 {
	if g.Wall <= 0 || g.CPUs < 1 {
		return 0
	}
	return g.CPU.Seconds() / g.Wall.Seconds() / float64(g.CPUs)
}

// Warnings say where the generator was the limit, a line each, and where there
// were too few VUs for the rate that was asked for.
func (g Generator) Warnings() (lines []string) {
	warn := func(format string, args ...any) {
		lines = append(lines, fmt.Sprintf("arm %s: ", g.Arm)+fmt.Sprintf(format, args...))
	}
	if busy := g.Busy(); busy > cpuLimit {
		warn("the generator was the limit: it used %.0f %% of %d processors", 100*busy, g.CPUs)
	}
	for _, s := range g.Scenarios {
		if s.Lateness == nil {
			continue
		}
		if late := s.Lateness.P99; late > lateLimit {
			warn("the generator was the limit: the slowest 1 %% of the iterations of %s started %s late or more", s.Name, late.Round(time.Millisecond))
		}
		switch {
		case s.Dropped > 0 && s.VUs < s.MaxVUs:
			warn("the generator was the limit: %s dropped %d iterations with %d of %d VUs started; raise preAllocatedVUs", s.Name, s.Dropped, s.VUs, s.MaxVUs)
		case s.Dropped > 0:
			warn("%s dropped %d iterations: all of its %d VUs were busy; raise maxVUs, or the target is too slow for the rate", s.Name, s.Dropped, s.VUs)
		}
	}
	return lines
}

// generators are what the arms that ran asked of the process.
func (r *run) generators(results []*engine.Result) (list []Generator) {
	for i, result := range results {
		a := r.arms[i]
		list = append(list, Generator{
			Arm: a.spec.Name, CPU: a.used.cpu, Wall: time.Duration(a.end - a.start), CPUs: runtime.GOMAXPROCS(0),
			Scenarios: result.Scenarios,
		})
	}
	return list
}
