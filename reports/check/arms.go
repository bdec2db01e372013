package check

import (
	"maps"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// armRows is what each arm came to, in order of declaration.
func armRows(ix *index) []history.ArmRow {
	var rows []history.ArmRow
	for _, a := range ix.declared {
		rows = append(rows, a.row())
	}
	return rows
}

func (a *arm) row() history.ArmRow {
	failed, spurious, tasks := a.failures()
	row := history.ArmRow{
		Arm: a.Name, Policy: policyOf(a.Arm),
		Failed:   *interval(failed, tasks, stats.ClopperPearson(failed, tasks)),
		Spurious: *interval(spurious, tasks, stats.ClopperPearson(spurious, tasks)),
		Restarts: len(a.rollouts) - a.tasks,
		Faults:   len(a.cuts), Judged: a.judged, Control: a.Control,
	}
	unknown := a.index.numbers.clusters()
	for _, op := range a.ops {
		unknown.add(op.Rollout, op.Told == history.ToldUnknown)
	}
	row.Unknown, row.Replayed = *unknown.rate(), *a.replays().rate()
	for _, c := range a.order {
		row.Absorbed += c.absorbed
	}
	return row
}

// replays counts the operations that were executed twice or more, of those that a
// server recorded and that are to be executed once.
func (a *arm) replays() *clusters {
	replayed := a.index.numbers.clusters()
	for _, o := range a.opOrder {
		if o.recorded() && o.once() && (!o.keyed() || a.server(o.runs[0].Server).trusted()) {
			replayed.add(o.rollout(), o.tooOften() != nil)
		}
	}
	return replayed
}

// failures counts the tasks that failed, those of them that failed spuriously, and
// all that ended by themselves.
func (a *arm) failures() (failed, spurious, tasks int) {
	for _, e := range a.ends {
		if e.fate == fateIdle {
			continue
		}
		tasks++
		if e.fate != fateCompleted {
			failed++
		}
		if e.fate == fateSpurious {
			spurious++
		}
	}
	return failed, spurious, tasks
}

// once reports whether the operation is to be executed once: a repeat of it would
// change something, were it executed.
func (o *operation) once() bool {
	return slices.ContainsFunc(o.runs, func(op *history.Op) bool {
		return op.Class != history.ReadOnly && op.Class != history.Idempotent
	})
}

// keyed reports whether a repeat of the operation may be answered from the record:
// two results are then not two executions, and only the server can tell.
func (o *operation) keyed() bool {
	return slices.ContainsFunc(o.runs, func(op *history.Op) bool { return op.Class == history.Keyed })
}

// policyOf is the one policy of the arm, or SERVER=NAME for each server.
func policyOf(a *history.Arm) string {
	names := slices.Compact(slices.Sorted(maps.Values(a.Policies)))
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(a.Policies)) {
		parts = append(parts, s+"="+a.Policies[s])
	}
	return strings.Join(parts, ", ")
}
