package run

import (
	"slices"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// begin is the zero of every time that a plan names: the beginning of the arm's first
// rollout. How long the virtual users and setup took to be ready before it is a matter of
// the host, and no fault's.
func (a *arm) begin() {
	a.start, a.cpu = history.Instant(a.parent.base.Nanos()), cpuTime()
	for _, p := range a.proxies {
		p.Begin()
	}
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
