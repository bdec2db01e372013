package chart

import (
	"strings"

	"mcpstorm/history"
)

// replays are executions beyond the one that was wanted.
type replays struct {
	ops   int  // operations executed more than once
	turns int  // those of them that are user turns
	tools int  // those of them that are tool calls
	more  bool // one of them was executed more than twice
}

// identity names an operation as every observer can. Calls that only a digest of
// their arguments names share one.
type identity struct{ server, rollout, key string }

// execution is what is known of one identity.
type execution struct {
	ops     int
	tools   map[string]bool
	turn    bool
	exempt  bool // a repeat of it is harmless by contract
	commits int
}

// countReplays compares each operation's commits, as the servers recorded them,
// with the one that was wanted. Operations that are read-only or idempotent may
// be repeated; a keyed one must not take effect twice either.
func countReplays(run *history.Run, arm *history.Arm) replays {
	executions := map[identity]*execution{}
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Arm != arm.Name || op.Key == "" {
			continue
		}
		id := identity{op.Server, op.Rollout, baseKey(op.Key)}
		e := executions[id]
		if e == nil {
			e = &execution{tools: map[string]bool{}}
			executions[id] = e
		}
		e.ops++
		e.tools[op.Tool] = true
		e.turn = op.Kind == history.KindTurn
		e.exempt = op.Class == history.ReadOnly || op.Class == history.Idempotent
	}
	for i := range run.Effects {
		effect := &run.Effects[i]
		if effect.Arm != arm.Name || effect.Kind != history.EffectCommit {
			continue
		}
		e := executions[identity{effect.Server, effect.Rollout, baseKey(effect.Key)}]
		if e != nil && e.means(effect.Tool) {
			e.commits++
		}
	}
	return sum(executions)
}

func sum(executions map[identity]*execution) replays {
	var r replays
	for _, e := range executions {
		extra := e.commits - e.ops
		if e.exempt || extra <= 0 {
			continue
		}
		// Where several operations share a digest, each may have been replayed
		// once, or one of them often: never more than there are.
		ops := min(extra, e.ops)
		r.ops += ops
		if e.turn {
			r.turns += ops
		} else {
			r.tools += ops
		}
		r.more = r.more || extra > ops
	}
	return r
}

// means reports whether an effect of this tool is one of the operation, and not
// of what a client adds under the same key, such as a settle.
func (e *execution) means(tool string) bool { return tool == "" || e.tools[tool] || e.tools[""] }

// baseKey leaves out the ordinal by which only the client tells equal calls apart.
func baseKey(key string) string {
	if strings.HasPrefix(key, "args:") {
		key, _, _ = strings.Cut(key, "#")
	}
	return key
}

// text says what was replayed: "9 user turns were taken twice".
func (r replays) text() string {
	noun, verb := "operation", "executed"
	switch r.ops {
	case r.turns:
		noun, verb = "user turn", "taken"
	case r.tools:
		noun = "tool call"
	}
	be := "were"
	if r.ops == 1 {
		be = "was"
	}
	times := "twice"
	if r.more {
		times = "twice or more"
	}
	return count(r.ops, noun) + " " + be + " " + verb + " " + times
}
