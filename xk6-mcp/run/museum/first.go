package museum

import (
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// tasks are those of the judged arms, in the order in which they ended.
func tasks(h *history.Run) []string {
	judged := map[string]bool{}
	for _, a := range h.Manifest.Arms {
		judged[a.Name] = a.Judge && !a.Control
	}
	ended := slices.DeleteFunc(slices.Clone(h.Rollouts), func(r history.Rollout) bool { return !judged[r.Arm] })
	slices.SortStableFunc(ended, func(a, b history.Rollout) int { return int(min(max(a.End-b.End, -1), 1)) })
	var names []string
	for _, r := range ended {
		if !slices.Contains(names, r.Task) {
			names = append(names, r.Task)
		}
	}
	return names
}

// firstSeen is the number of the first task that shows the exhibit by itself, from 1;
// all of them where none does.
func firstSeen(e Exhibit, h *history.Run) int {
	all := tasks(h)
	for i, task := range all {
		if Caught(e, check.Evaluate(only(h, task), check.Options{Only: []string{e.Invariant}})) != nil {
			return i + 1
		}
	}
	return len(all)
}

// only is a history with the records of one task.
func only(h *history.Run, task string) *history.Run {
	own := *h
	is := func(id string) bool {
		rest, ok := strings.CutPrefix(id, task)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '/')
	}
	own.Ops = keep(h.Ops, func(o *history.Op) bool { return is(o.Op) })
	own.Attempts = keep(h.Attempts, func(a *history.Attempt) bool { return is(a.Op) })
	own.Rollouts = keep(h.Rollouts, func(r *history.Rollout) bool { return r.Task == task })
	own.Faults = keep(h.Faults, func(f *history.Fault) bool { return is(f.Op) || is(f.Rollout) })
	own.Wire = keep(h.Wire, func(w *history.Wire) bool { return is(w.Rollout) })
	own.Effects = keep(h.Effects, func(e *history.Effect) bool { return is(e.Rollout) })
	return &own
}

func keep[T any](list []T, wanted func(*T) bool) (kept []T) {
	for i := range list {
		if wanted(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}
