package check

import (
	"fmt"
	"maps"
	"slices"

	"mcpstorm/history"
)

const leakID = "no-leak"

// What tells a leak from noise. All of it is about one counter: one kind of thing
// that one process holds.
const (
	// leastCycles is how many cycles of use it takes to see a slope. With fewer,
	// nothing can be told of a counter.
	leastCycles = 8
	// leakLevel is how improbable a rise must be without a trend: a run judges tens of
	// counters, and hundreds of runs are not to raise one false alarm between them.
	leakLevel = 1e-4
	// leastGrowth is how much must have come to be. A handful of things are made once,
	// when they are first needed, and stay.
	leastGrowth = 4
)

// noLeak judges every counter of every process over the cycles of use: it has slope
// zero under a load that stays the same, and is back at its base line once all is
// quiet. A cycle is as many rollouts as run at once. What stays behind at the end is
// judged against the number of cycles, for a leak grows with use and what is made
// once does not: more than one thing for every two cycles is a leak.
func noLeak(ix *index) history.Invariant {
	j := &judgement{id: leakID, unit: "counters"}
	for _, a := range ix.judged {
		for _, c := range a.countersOf(ix.run.Resources) {
			c.judge(ix, j)
		}
	}
	inv := j.invariant("no process recorded what it held")
	inv.Rate = nil // counters are no sample of anything
	return inv
}

// counter is one kind of thing that one process held in one arm.
type counter struct {
	arm     *arm
	server  string // empty: mcpstorm itself
	process int
	name    string

	base, end *int64 // nil where it was not counted
	cycles    []int64
}

// countersOf gathers the counters of the arm, in order of first appearance, those of
// one record by name.
func (a *arm) countersOf(records []history.Resource) []*counter {
	type key struct {
		server  string
		process int
		name    string
	}
	at := map[key]*counter{}
	var order []*counter
	for i := range records {
		r := &records[i]
		if r.Arm != a.Name {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
			k := key{r.Server, r.Process, name}
			c := at[k]
			if c == nil {
				c = &counter{arm: a, server: r.Server, process: r.Process, name: name}
				at[k] = c
				order = append(order, c)
			}
			c.add(r.Phase, r.Counts[name])
		}
	}
	return order
}

func (c *counter) add(phase history.ResourcePhase, n int64) {
	switch phase {
	case history.ResourceBase:
		c.base = &n
	case history.ResourceEnd:
		c.end = &n
	case history.ResourceCycle:
		c.cycles = append(c.cycles, n)
	}
}

func (c *counter) judge(ix *index, j *judgement) {
	if n := len(c.cycles); n < leastCycles {
		j.skip(fmt.Sprintf("fewer than %d cycles of use: a slope cannot be told from a start", leastCycles))
		return
	}
	unsteady := c.arm.unsteady()
	t := trendOf(c.cycles)
	growth := t.slope * float64(len(c.cycles)-1)
	rises := unsteady == "" && t.p < leakLevel && growth >= leastGrowth
	left, counted := c.left()
	stays := counted && left > max(leastGrowth, int64(len(c.cycles)/2))
	excess := int64(growth)
	if stays {
		excess = left
	}
	switch {
	case (stays || rises) && c.explained(excess):
		j.skip("faults may have left sessions behind, which their server keeps until they time out")
	case stays:
		j.add("", c.leak(ix, t, "does not return to the base line"))
	case rises:
		j.add("", c.leak(ix, t, "rises with use"))
	case !counted && unsteady != "":
		j.skip(unsteady)
	default:
		j.add("", nil)
	}
}

// left is how much more than at first there was in the end, once all was quiet.
func (c *counter) left() (n int64, counted bool) {
	if c.base == nil || c.end == nil {
		return 0, false
	}
	return *c.end - *c.base, true
}

// explained reports whether the server's own faults may account for so many sessions. One whose
// first answer or whose end was cut can be closed by nobody but its server, which has
// the right to wait for its own timeout.
func (c *counter) explained(n int64) bool {
	if c.name != history.CountSessions {
		return false
	}
	for _, f := range c.arm.cuts {
		if f.Server == c.server {
			n--
		}
	}
	return n <= 0
}

// unsteady says why a slope of the arm's counters says nothing, or nothing: the load
// changed by itself, or faults held connections open until after the verdict.
func (a *arm) unsteady() string {
	if len(a.Scenarios) != 1 || !slices.Contains(steadyExecutors, a.Scenarios[0].Executor) {
		return "the load did not stay the same, so a slope says nothing"
	}
	for _, f := range a.cuts {
		if f.Manner == mannerHold {
			return "faults held connections open, so a slope says nothing"
		}
	}
	return ""
}

// mannerHold is the manner of a fault that keeps both sockets open.
const mannerHold = "hold"

// steadyExecutors keep the number of running rollouts the same until the end.
var steadyExecutors = []string{"per-vu-iterations", "shared-iterations", "constant-vus"}

func (c *counter) leak(ix *index, t trend, kind string) *violation {
	return &violation{
		kind:   c.name + " " + kind,
		weight: -len(c.cycles), // the longest series shows it best
		prove: func() history.Proof {
			text := fmt.Sprintf("%s of %s: %+.2f a cycle over %s", c.name, c.holder(), t.slope, number(len(c.cycles), "cycle"))
			if left, counted := c.left(); counted {
				text += fmt.Sprintf(", and %+d in the end against the beginning", left)
			}
			if len(ix.judged) > 1 {
				text = "arm " + c.arm.Name + ": " + text
			}
			return history.Proof{Text: text, Events: c.story()}
		},
	}
}

// holder names the process.
func (c *counter) holder() string {
	switch {
	case c.server == "":
		return "mcpstorm's own process"
	case c.process > 0:
		return fmt.Sprintf("%s, process %d", c.server, c.process)
	}
	return c.server
}

// story is the series: its ends, and some of what lies between.
func (c *counter) story() []string {
	var events []string
	if c.base != nil {
		events = append(events, fmt.Sprintf("before the first rollout: %d", *c.base))
	}
	const most = 8
	last := len(c.cycles) - 1
	shown := -1
	for i := range most {
		if at := i * last / (most - 1); at > shown {
			shown = at
			events = append(events, fmt.Sprintf("after cycle %d: %d", at+1, c.cycles[at]))
		}
	}
	if c.end != nil {
		events = append(events, fmt.Sprintf("once all was quiet: %d", *c.end))
	}
	return events
}
