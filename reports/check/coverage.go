package check

import (
	"fmt"

	"mcpstorm/history"
)

// coverage judges whether the run measured what it claims, clause by clause. It
// has no proof: each clause says its numbers.
func coverage(ix *index) history.Invariant {
	inv := history.Invariant{ID: coverageID, Unit: "clauses", Clauses: []history.Clause{
		planned(ix),
		receipts(ix),
		inFlight(ix),
		scriptErrors(ix),
		effectLogs(ix),
		harnessErrors(ix),
		state(ix),
		notEvaluated("control arm", "this version does not judge it yet"),
		notEvaluated("host", "this version does not judge it yet"),
	}}
	for _, clause := range inv.Clauses {
		if clause.Status == history.NotEvaluated {
			continue
		}
		inv.Evaluated++
		if clause.Status == history.Fail {
			inv.Violated++
			if inv.Reason == "" {
				inv.Reason = clause.Name + ": " + clause.Text
			}
		}
	}
	switch {
	case len(ix.judged) == 0:
		inv.Status, inv.Evaluated, inv.Violated = history.NotEvaluated, 0, 0
		inv.Reason = "the run has no arm that is judged"
	case inv.Violated > 0:
		inv.Status = history.Fail
	default:
		inv.Status = history.Pass
	}
	return inv
}

func notEvaluated(name, reason string) history.Clause {
	return history.Clause{Name: name, Status: history.NotEvaluated, Text: reason}
}

// clause passes where holds is true.
func clause(name string, holds bool, text string) history.Clause {
	status := history.Fail
	if holds {
		status = history.Pass
	}
	return history.Clause{Name: name, Status: status, Text: text}
}

// scriptErrors looks at every arm: a script that throws measures nothing, with
// faults or without.
func scriptErrors(ix *index) history.Clause {
	const name = "script errors"
	count, of := 0, 0
	var first *history.Rollout
	for i := range ix.run.Rollouts {
		r := &ix.run.Rollouts[i]
		of++
		if r.Outcome == history.ScriptError {
			count++
			if first == nil {
				first = r
			}
		}
	}
	switch {
	case of == 0:
		return notEvaluated(name, "no rollout was recorded")
	case first == nil:
		return clause(name, true, fmt.Sprintf("none in %s", number(of, "rollout")))
	}
	text := fmt.Sprintf("%d of %s ended in a script error, the first in %s", count, number(of, "rollout"), first.Rollout)
	if first.Cause != nil {
		text += fmt.Sprintf(" at %s: %s", first.Cause.At, first.Cause.Text)
	}
	return clause(name, false, text)
}

// effectLogs asks that a server which is said to record its executions, and which
// told callers ok, recorded anything at all.
func effectLogs(ix *index) history.Clause {
	const name = "effect logs"
	kept, records := 0, 0
	for _, a := range ix.judged {
		for _, s := range a.serverOrder {
			if s.silent() {
				return clause(name, false, fmt.Sprintf("%s recorded nothing in arm %s though %s on it were told ok",
					s.Name, a.Name, number(s.said, "operation")))
			}
			if s.Effects {
				kept++
				records += s.effects
			}
		}
	}
	if kept == 0 {
		return notEvaluated(name, "no server records its own executions")
	}
	return clause(name, true, fmt.Sprintf("%s by %s", number(records, "record"), number(kept, "server")))
}

func harnessErrors(ix *index) history.Clause {
	const name = "harness errors"
	errs := ix.run.Manifest.Errors
	switch {
	case len(errs) == 1:
		return clause(name, false, errs[0])
	case len(errs) > 1:
		return clause(name, false, fmt.Sprintf("%s, the first: %s", number(len(errs), "error"), errs[0]))
	case ix.strays > 0:
		return clause(name, false, fmt.Sprintf("%s of an arm that the manifest does not list", number(ix.strays, "record")))
	}
	return clause(name, true, "none")
}

func state(ix *index) history.Clause {
	const name = "state"
	switch s := ix.run.Manifest.State; s {
	case history.StateFinished:
		return clause(name, true, "the run finished")
	case history.StateRunning:
		return clause(name, false, "the run did not end: it is under way, or its process was killed")
	case history.StateStopped:
		return clause(name, false, "the run was stopped from outside")
	default:
		return clause(name, false, fmt.Sprintf("the manifest gives the state %q, which is unknown", s))
	}
}
