package capacity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// Kind is whose limit was met.
type Kind string

// The kinds of limit.
const (
	Target Kind = "target" // the server under test
	Proxy  Kind = "proxy"  // our fault layer
	Host   Kind = "host"   // our own machine, which the generator shares with whatever else runs
)

// Limit is what was met first where a level was not held.
type Limit struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // the evidence, in one sentence
}

// hostBusy is the use of all processors above which the process was the limit.
const hostBusy = 0.9

// limitOf says what was met, or nil: the host where coverage says that it was the limit,
// or where this process used all of it, whatever the objectives are; where one of them
// does not hold, or rollouts did not end, the proxy if it lost connections, and else the
// target, which has also refused those that could not be opened to it.
func limitOf(o *run.Outcome, arm string, level Level) *Limit {
	if text := hostClause(o.Verdict); text != "" {
		return &Limit{Host, text}
	}
	if level.Busy > hostBusy {
		return &Limit{Host, fmt.Sprintf("this process used %.0f %% of all processors", 100*level.Busy)}
	}
	met := cmp.Or(broken(level), unended(o.History, arm))
	if met == "" {
		return nil
	}
	text := met + ": " + causes(o.History, arm)
	for _, a := range o.History.Manifest.Arms {
		switch {
		case a.Name != arm:
		case a.AcceptErrors+a.Untracked > 0:
			return &Limit{Proxy, fmt.Sprintf("the fault layer could not carry %d connections, and not follow %d", a.AcceptErrors, a.Untracked)}
		case a.DialErrors > 0:
			text += fmt.Sprintf("; %d connections to it could not be opened", a.DialErrors)
		}
	}
	return &Limit{Target, text}
}

// unended says how many rollouts of an arm were stopped before they ended, which no
// rate counts; it is empty where none was.
func unended(h *history.Run, arm string) string {
	n := 0
	for i := range h.Rollouts {
		if r := &h.Rollouts[i]; r.Arm == arm && r.Outcome == history.Interrupted {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("rollouts that had not ended when their time was over: %d", n)
}

// hostClause is what coverage says of a host that was the limit; empty where it was not.
func hostClause(v history.Verdict) string {
	for _, inv := range v.Invariants {
		for _, c := range inv.Clauses {
			if inv.ID == "coverage" && c.Name == "host" && c.Status == history.Fail {
				return c.Text
			}
		}
	}
	return ""
}

// broken names the first objective that does not hold; it is empty where all do.
func broken(level Level) string {
	for _, r := range level.Readings {
		if !r.Holds {
			return r.Objective + " does not hold"
		}
	}
	return ""
}

// causes names the commonest reason why operations of an arm got no result.
func causes(h *history.Run, arm string) string {
	counts := map[string]int{}
	failed := 0
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Arm != arm || op.Told == history.ToldOK || op.Told == history.ToldToolError || op.Interrupted {
			continue
		}
		failed++
		counts[causeName(op)]++
	}
	if failed == 0 {
		return "every operation got a result"
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return fmt.Sprintf("%d of %d operations without a result ended by %s", counts[names[0]], failed, names[0])
}

func causeName(op *history.Op) string {
	switch {
	case op.Cause == nil:
		return "nothing that is known"
	case op.Cause.Status != 0:
		return fmt.Sprintf("HTTP status %d of %s", op.Cause.Status, op.Server)
	}
	return fmt.Sprintf("%s at %s", op.Cause.Class, op.Server)
}
