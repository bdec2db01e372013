package check_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"mcpstorm/history"
)

// wanted is one operation on the tool server in one rollout, in a compact
// notation.
type wanted struct {
	op      string // t000001/s02; empty: that one
	restart int    // of its rollout; 0: 1
	class   history.ReplayClass
	told    history.Told
	settled string
	// did is what the client did, comma-separated: "ROLE TOLD [FLAG…]". Flags: -
	// nothing was written; a cut such as C4 was delivered; status was the cut's
	// manner; a number was the HTTP status; anything else is the class of the cause.
	did string
}

// add records the operation and its exchanges.
func (w wanted) add(run *history.Run) *history.Op {
	if w.op == "" {
		w.op = "t000001/s02"
	}
	task, _, _ := strings.Cut(w.op, "/")
	op := history.Op{
		Arm: "main", Op: w.op, Rollout: fmt.Sprintf("%s.%d", task, max(w.restart, 1)), Server: "tools", Kind: history.KindTool,
		Tool: "append", Key: "arg:" + w.op, Class: w.class, Policy: "settle", Told: w.told, Settled: w.settled,
		Deadline: int64(10 * second), Budget: 6, Start: history.Instant(len(run.Attempts)),
	}
	for _, item := range items(w.did) {
		at := history.Attempt{
			Arm: "main", Op: op.Op, Rollout: op.Rollout, Attempt: op.Attempts + 1, Exchange: 1, Role: history.ExchangeRole(item[0]),
			Server: "tools", Told: history.Told(item[1]), Written: 300, Start: history.Instant(len(run.Attempts) + 1),
		}
		switch at.Role {
		case history.RoleSettle, history.RoleLookup:
			at.Op += "." + item[0]
		case history.RoleCall:
			op.Attempts++
		}
		for _, flag := range item[2:] {
			flagged(run, &at, flag)
		}
		if at.Cause != nil {
			op.Cause = at.Cause
		}
		run.Attempts = append(run.Attempts, at)
	}
	op.End = history.Instant(len(run.Attempts) + 1)
	run.Ops = append(run.Ops, op)
	return &run.Ops[len(run.Ops)-1]
}

func flagged(run *history.Run, at *history.Attempt, flag string) {
	status, err := strconv.Atoi(flag)
	switch {
	case err == nil:
		at.Status, at.Cause = status, &history.Cause{Class: "http_status", Status: status}
	case flag == "-":
		at.Written = 0
	case flag == "status":
		run.Faults[len(run.Faults)-1].Manner = flag
	case flag[0] == 'C':
		run.Faults = append(run.Faults, history.Fault{
			Arm: "main", Server: "tools", Rule: "r01", Op: at.Op, Rollout: at.Rollout,
			Attempt: at.Attempt, Role: at.Role, Cut: flag, Manner: "rst", State: history.FaultDelivered, At: at.Start,
		})
	default:
		at.Cause = &history.Cause{Class: flag, Text: flag}
	}
}

// runOf is a run of these operations. commits are the keys that the ledger
// executed, each with "@N" for another rollout of the task than the first.
func runOf(t *testing.T, commits string, ops ...wanted) *history.Run {
	t.Helper()
	run := emptyRun()
	for _, w := range ops {
		w.add(run)
	}
	run.Effects = []history.Effect{{Arm: "main", Server: "tools", Kind: history.EffectBegin, Rollout: "t000009.1", Key: "seq:0"}}
	for i, item := range items(commits) {
		key, restart, _ := strings.Cut(item[0], "@")
		if restart == "" {
			restart = "1"
		}
		run.Effects = append(run.Effects, history.Effect{
			Arm: "main", Server: "tools", Kind: history.EffectCommit, N: int64(i + 2),
			Rollout: "t000001." + restart, Key: key, Tool: "append",
		})
	}
	return run
}

// busied adds an operation that changes nothing to a rollout, so that it is none that asked
// nothing of any server.
func busied(run *history.Run, rollout string) {
	task, _, _ := strings.Cut(rollout, ".")
	run.Ops = append(run.Ops, history.Op{
		Arm: "main", Op: task + "/s09", Rollout: rollout, Server: "tools", Kind: history.KindPing, Class: history.ReadOnly,
		Told: history.ToldOK, Attempts: 1,
	})
}

// failedOn ends a task's rollout by the McpError of an operation.
func failedOn(run *history.Run, op *history.Op) *history.Rollout {
	task, _, _ := strings.Cut(op.Op, "/")
	run.Rollouts = append(run.Rollouts, history.Rollout{
		Arm: "main", Scenario: "rollouts", Task: task, Rollout: op.Rollout,
		Outcome: history.Failed, Cause: &history.RolloutCause{Op: op.Op, Told: op.Told, Text: "an McpError escaped"},
	})
	return &run.Rollouts[len(run.Rollouts)-1]
}
