package check

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// mostIdle is how many of a hundred completed rollouts of a scenario may have asked
// nothing of any server. It is a convention and no measure: a script may leave an iteration
// out now and then, and rates leave it out too; where more of them do nothing, the load was
// not the one that the scenario plans.
const mostIdle = 10

// worked asks that the arm did what there is anything to say of: exchanges with its
// servers, by nearly every rollout, and some call on each server that was used which was
// no tool's error.
func worked(ix *index) history.Clause {
	const name = "work"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if len(a.rollouts) == 0 {
			return notEvaluated(name, "no rollout was recorded")
		}
		if text := a.workless(); text != "" {
			return clause(name, false, text)
		}
		return clause(name, true, "rollouts asked something of the servers, and were answered")
	})
}

// workless says what the arm did not do, or nothing.
func (a *arm) workless() string {
	if !a.exchanged() {
		return fmt.Sprintf("%s, and not one exchange with a server", number(len(a.rollouts), "rollout"))
	}
	if text := a.idlers(); text != "" {
		return text
	}
	return a.onlyErrors()
}

// exchanged reports whether the arm made any exchange with a server.
func (a *arm) exchanged() bool {
	return slices.ContainsFunc(a.opOrder, func(o *operation) bool {
		return len(o.exchanges) > 0 || slices.ContainsFunc(o.runs, func(op *history.Op) bool { return op.Attempts > 0 })
	})
}

// idlers says of which scenarios too many completed rollouts asked nothing.
func (a *arm) idlers() string {
	busy := a.busy()
	completed, idle := map[string]int{}, map[string]int{}
	for _, r := range a.rollouts {
		if r.Outcome == history.Completed {
			completed[r.Scenario]++
			if !busy[a.index.numbers[r.Rollout]] {
				idle[r.Scenario]++
			}
		}
	}
	var texts []string
	for _, s := range a.Scenarios {
		if n := idle[s.Name]; 100*n > mostIdle*completed[s.Name] {
			texts = append(texts, fmt.Sprintf("%s: %d of %s completed without asking anything of a server (%d %% allowed)",
				s.Name, n, number(completed[s.Name], "rollout"), mostIdle))
		}
	}
	return strings.Join(texts, "; ")
}

// busy reports of every rollout, by its number, whether it asked anything of a server.
// With a client that opens a session for each call, a connect alone asks nothing.
func (a *arm) busy() []bool {
	busy := make([]bool, len(a.index.numbers))
	for _, op := range a.ops {
		if op.Attempts > 0 || op.Kind != history.KindConnect && op.Kind != history.KindClose {
			busy[a.index.numbers[op.Rollout]] = true
		}
	}
	return busy
}

// onlyErrors names the servers on which every call that was answered was a tool's error.
func (a *arm) onlyErrors() string {
	good, errors := map[string]int{}, map[string]int{}
	for _, op := range a.ops {
		if op.Kind == history.KindTurn || op.Kind == history.KindTool {
			switch op.Told {
			case history.ToldOK:
				good[op.Server]++
			case history.ToldToolError:
				errors[op.Server]++
			}
		}
	}
	var texts []string
	for _, s := range a.serverOrder {
		if n := errors[s.Name]; n > 0 && good[s.Name] == 0 {
			texts = append(texts, fmt.Sprintf("of the calls on %s none was told ok, and %d a tool's error: nothing was done there", s.Name, n))
		}
	}
	return strings.Join(texts, "; ")
}
