package check

import "mcpstorm/history"

// cutBurst is the cut of many open connections together.
const cutBurst = "burst"

// attachBursts gives each burst that met an idle connection to the operation that
// the connection was next used for, or was in use for unseen: the first of its
// rollout on that server that had not ended. The client and the fault layer are
// parts of one process, whose clock places both.
func (a *arm) attachBursts() {
	idle := map[place][]*history.Fault{}
	for _, f := range a.cuts {
		if f.Cut == cutBurst && f.Op == "" && f.Rollout != "" {
			at := place{f.Server, f.Rollout}
			idle[at] = append(idle[at], f)
		}
	}
	if len(idle) == 0 {
		return
	}
	next := map[*history.Fault]*history.Op{}
	for _, op := range a.ops {
		for _, f := range idle[place{op.Server, op.Rollout}] {
			if op.End >= f.At && (next[f] == nil || op.Start < next[f].Start) {
				next[f] = op
			}
		}
	}
	for f, op := range next {
		o := a.operation(op.Op)
		o.faults = append(o.faults, f)
	}
}
