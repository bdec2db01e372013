package check

import (
	"fmt"
	"strings"
	"time"

	"mcpstorm/history"
)

// hostLimit is the class of a cause that lies in our own machine.
const hostLimit = "host_limit"

// HostClause is the name of the clause of coverage that asks whether this machine was
// the limit.
const HostClause = "host"

// What the host may do to a run before it, and not the subject, was measured.
const (
	maxLateness   = 50 * time.Millisecond // p99 of the generator's timers
	maxStallShare = 0.01                  // of all the time that rollouts had
)

// host asks that the machine was not the limit: the generator was on time, writers
// of the history did not wait, and no descriptor, port or buffer ran out.
func host(ix *index) history.Clause {
	const name = HostClause
	return ix.eachArm(name, func(a *arm) history.Clause {
		if limits := a.hostLimits(); len(limits) > 0 {
			return clause(name, false, "harness-limited: "+strings.Join(limits, ", "))
		}
		if a.Lateness == nil {
			return notEvaluated(name, "how late the generator's timers fired was not measured")
		}
		return clause(name, true, fmt.Sprintf("timers fired at most %s late (p99), %s of waiting for the history", a.Lateness.P99, a.waited()))
	})
}

// hostLimits names every way in which the machine limited the arm.
func (a *arm) hostLimits() []string {
	var limits []string
	limited := func(is bool, format string, args ...any) {
		if is {
			limits = append(limits, fmt.Sprintf(format, args...))
		}
	}
	if n := len(a.hostLimited); n > 0 {
		first := a.hostLimited[0]
		limited(true, "%s failed for want of a descriptor, port or buffer on this machine, the first %s (%s)",
			number(n, "exchange"), exchangeName(first), first.Cause.Text)
	}
	limited(a.AcceptErrors > 0, "the fault layer could not carry %s", number(int(a.AcceptErrors), "connection"))
	if a.late() {
		limited(true, "timers fired %s late (p99, %s allowed)", a.Lateness.P99, maxLateness)
	}
	if whole := a.lived(); whole > 0 {
		share := float64(a.waited()) / float64(whole)
		limited(share >= maxStallShare, "writers waited %s for the history, %.1f %% of the rollouts' time (%g %% allowed)",
			a.waited(), share*100, maxStallShare*100)
	}
	return limits
}

// late reports whether the generator's timers fired too late for what was measured to be
// the subject's.
func (a *arm) late() bool { return a.Lateness != nil && a.Lateness.P99 >= maxLateness }

// waited is how long writers of the history waited during the arm.
func (a *arm) waited() time.Duration {
	if a.Stalls == nil {
		return 0
	}
	return a.Stalls.Waited
}

// lived is the arm's duration times the most rollouts that ran at once.
func (a *arm) lived() time.Duration {
	return time.Duration(a.End-a.Start) * time.Duration(a.load().peak())
}
