package run

import (
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// begin is the zero of every time that a plan names: the beginning of the arm's first
// rollout. How long the virtual users and setup took to be ready before it is a matter of
// the host, and no fault's.
func (a *arm) begin() {
	a.start, a.began = history.Instant(a.parent.base.Nanos()), a.parent.used()
	for _, p := range a.proxies {
		p.Begin()
	}
}

// finish is the end of what began.
func (a *arm) finish() {
	a.end, a.used = history.Instant(a.parent.base.Nanos()), a.parent.used().since(a.began)
}

// used is what a run has taken of its host up to a moment, or between two.
type used struct {
	cpu    time.Duration // of this process
	stalls history.Stalls
}

func (r *run) used() used { return used{cpuTime(), r.writer.Stalls()} }

func (u used) since(before used) used {
	return used{u.cpu - before.cpu, history.Stalls{
		Waited:  u.stalls.Waited - before.stalls.Waited,
		Count:   u.stalls.Count - before.stalls.Count,
		Records: u.stalls.Records - before.stalls.Records,
	}}
}

// startsAtOnce reports whether some scenario starts when the virtual users are ready. Where
// each waits for a time of its own, the first rollout is no beginning of them all.
func (r *run) startsAtOnce() bool {
	return slices.ContainsFunc(r.program.Options().Scenarios, func(s engine.Scenario) bool { return s.StartTime == 0 })
}

// beginning calls begin before the first rollout, and then what was to be called before
// every one, which may be nil.
func beginning(begin func(), before func(*engine.VU)) func(*engine.VU) {
	return func(vu *engine.VU) {
		begin()
		if before != nil {
			before(vu)
		}
	}
}
