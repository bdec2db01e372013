package check

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// coverage judges whether the run measured what it claims, clause by clause. It
// has no proof: each clause says its numbers. What explains the others comes
// first, for the first that fails is the reason that is given.
func coverage(ix *index) history.Invariant {
	inv := history.Invariant{ID: coverageID, Unit: "clauses", Clauses: []history.Clause{
		harnessErrors(ix),
		state(ix),
		scriptErrors(ix),
		host(ix), // what a machine that is too slow leaves undone is told by the clauses below
		planned(ix),
		recorded(ix),
		reachable(ix),
		control(ix),
		uninterrupted(ix),
		worked(ix),
		receipts(ix),
		effective(ix),
		planKept(ix),
		swept(ix),
		inFlight(ix),
		effectLogs(ix),
		witness(ix),
		healed(ix),
	}}
	inv.Clauses = slices.Concat(inv.Clauses, declaredTools(ix), leftToChance(ix))
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

// eachArm judges a clause for every judged arm and joins what is said of them,
// each by name when there are several. It holds where it holds for every arm that
// could be judged; where none could, the first reason stands.
func (ix *index) eachArm(name string, judge func(*arm) history.Clause) history.Clause {
	all := notEvaluated(name, "no arm is judged")
	var said, unjudged []string
	for _, a := range ix.judged {
		c := judge(a)
		text := c.Text
		if len(ix.judged) > 1 {
			text = "arm " + a.Name + ": " + text
		}
		if c.Status == history.NotEvaluated {
			unjudged = append(unjudged, c.Text)
			continue
		}
		said = append(said, text)
		if all.Status == history.NotEvaluated || c.Status == history.Fail {
			all.Status = c.Status
		}
	}
	switch {
	case len(said) > 0:
		all.Text = strings.Join(said, "; ")
	case len(unjudged) > 0:
		all.Text = unjudged[0]
	}
	return all
}

// scriptErrors asks that no rollout ended in an error of the script: one that
// throws measures nothing.
func scriptErrors(ix *index) history.Clause {
	const name = "script errors"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if len(a.rollouts) == 0 {
			return notEvaluated(name, "no rollout was recorded")
		}
		count, first := thrown(a)
		if first == nil {
			return clause(name, true, fmt.Sprintf("none in %s", number(len(a.rollouts), "rollout")))
		}
		text := fmt.Sprintf("%d of %s ended in a script error, the first in %s", count, number(len(a.rollouts), "rollout"), first.Rollout)
		if first.Cause != nil {
			text += fmt.Sprintf(" at %s: %s", first.Cause.At, first.Cause.Text)
		}
		return clause(name, false, text)
	})
}

// thrown counts the rollouts of an arm that ended in a script error.
func thrown(a *arm) (count int, first *history.Rollout) {
	for _, r := range a.rollouts {
		if r.Outcome == history.ScriptError {
			if count++; first == nil {
				first = r
			}
		}
	}
	return count, first
}

// effectLogs asks that a server which is said to record its executions, and which
// told callers ok, recorded anything at all.
func effectLogs(ix *index) history.Clause {
	const name = "effect logs"
	return ix.eachArm(name, func(a *arm) history.Clause {
		kept, records := 0, 0
		for _, s := range a.serverOrder {
			if s.gapped {
				return clause(name, false, ix.gapsOf(s))
			}
			if s.silent() {
				return clause(name, false, fmt.Sprintf("%s recorded nothing though %s on it were told ok", s.Name, number(s.said, "operation")))
			}
			if s.Effects {
				kept++
				records += s.effects
			}
		}
		if kept == 0 {
			return notEvaluated(name, "no server records its own executions")
		}
		return clause(name, true, fmt.Sprintf("%s by %s", number(records, "record"), number(kept, "server")))
	})
}

// gapsOf tells where the log of a server is not whole.
func (ix *index) gapsOf(s *server) string {
	var gaps []string
	for _, g := range ix.run.Gaps {
		if g.Server == s.Name {
			gaps = append(gaps, fmt.Sprintf("%s goes from effect %d to %d", g.File, g.After, g.Next))
		}
	}
	return fmt.Sprintf("the record of %s is not whole: %s", s.Name, few(gaps))
}

// witness asks that the taps followed every connection to its end, where what was
// executed is known from them alone.
func witness(ix *index) history.Clause {
	const name = "witness"
	return ix.eachArm(name, func(a *arm) history.Clause {
		var alone []string
		for _, s := range a.serverOrder {
			if s.witnessed() {
				alone = append(alone, s.Name)
			}
		}
		lost := fmt.Sprintf("%s could not be followed to the end", number(int(a.Untracked), "connection"))
		switch {
		case a.Untracked > 0 && len(alone) > 0:
			return clause(name, false, fmt.Sprintf("%s, and nothing else tells what %s executed", lost, enumerate(alone)))
		case a.Untracked > 0:
			return clause(name, true, lost+"; the servers' own records tell what was executed")
		case len(alone) == 0:
			return notEvaluated(name, "the servers' own records tell what was executed")
		}
		return clause(name, true, "every connection was followed to its end")
	})
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
	case history.StateFailed:
		return clause(name, false, "the run could not be recorded whole")
	case history.StateStopped:
		return clause(name, false, "the run was stopped from outside")
	default:
		return clause(name, false, fmt.Sprintf("the manifest gives the state %q, which is unknown", s))
	}
}
