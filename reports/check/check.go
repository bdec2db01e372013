package check

import (
	"slices"
	"sync"

	"mcpstorm/history"
)

// Options choose what a history is judged by. The zero value judges it by what
// its manifest names.
type Options struct {
	// Only judges by these invariants instead of those that the manifest names.
	// coverage and no-hang are always in.
	Only []string
	// All judges by every invariant that this version knows, and by those that
	// the manifest names beside. It wins over Only.
	All bool
	// MinInFlight is the share of an arm's peak number of running rollouts that
	// the median fault must have met, in (0, 1]; 0 means DefaultMinInFlight.
	MinInFlight float64
	// Known is the list of known failures; nil means that of the manifest.
	Known []history.KnownFailure
}

// DefaultMinInFlight is the share of the peak that the median fault must meet.
const DefaultMinInFlight = 0.5

// Info describes one invariant.
type Info struct {
	ID  string // stable: used in options, reports and texts
	Doc string // one sentence: when it holds
}

// invariant is one row of the table of invariants.
type invariant struct {
	Info
	judge  func(*index) history.Invariant
	always bool // judged whatever was asked for
}

// The ids of the invariants that are judged whatever was asked for.
const (
	coverageID = "coverage"
	noHangID   = "no-hang"
)

// invariants is every invariant that this version knows, in order of judging.
func invariants() []invariant {
	return []invariant{
		{Info{coverageID, "the run measured what it claims to have measured"}, coverage, true},
		{Info{turnsID, "every user turn was taken exactly once and the transcript is the simulator's own"}, exactlyOnceTurns, false},
		{Info{replayID, "no unsafe operation was sent again while it may have been executed, and none was executed twice"}, noUnsafeReplay, false},
		{Info{spuriousID, "every rollout that failed had a genuine cause or met an honest unknown"}, noSpuriousFailure, false},
		{Info{truthID, "no operation told ok was not executed and none told not_executed was"}, truthfulOutcome, false},
		{Info{isolationID, "every result carries the nonce of its own call, and nothing of one rollout reached another"}, isolation, false},
		{Info{blastID, "no operation ended badly without a fault of its own"}, blastRadius, false},
		{Info{retryID, "no operation was tried more often than its policy allows"}, boundedRetry, false},
		{Info{noHangID, "every operation ended within twice its deadline"}, noHang, true},
		{Info{leakID, "sessions, slots, sockets, goroutines and processes return to where they were"}, noLeak, false},
		{Info{recoveryID, "once faults stop, every rollout still running ends and every server serves again"}, recovery, false},
	}
}

// Known lists the invariants, in order of judging.
func Known() []Info {
	var list []Info
	for _, inv := range invariants() {
		list = append(list, inv.Info)
	}
	return list
}

// Evaluate judges a history. It never fails: what cannot be judged is not
// evaluated, with the reason. An invariant that was asked for and is not known to
// this version is among those.
func Evaluate(run *history.Run, o Options) history.Verdict {
	ix := newIndex(run)
	ix.minInFlight = o.MinInFlight
	if ix.minInFlight <= 0 {
		ix.minInFlight = DefaultMinInFlight
	}
	v := history.Verdict{Schema: history.Schema, Run: run.Manifest.ID}
	wanted := wantedOf(&run.Manifest, o)
	for _, inv := range invariants() {
		if inv.always || wanted(inv.ID) {
			ix.asked = append(ix.asked, inv)
		}
	}
	v.Invariants = make([]history.Invariant, len(ix.asked))
	var judging sync.WaitGroup // of an index that nobody changes any more
	for i, inv := range ix.asked {
		judging.Go(func() { v.Invariants[i] = inv.judge(ix) })
	}
	judging.Go(func() { v.NotAsserted = notAsserted(ix, o) })
	judging.Go(func() { v.Rates = rates(ix) })
	judging.Go(func() { v.Counts = counts(ix) })
	judging.Go(func() { v.Arms = armRows(ix) })
	judging.Go(func() { v.Truth = truthTables(ix) })
	judging.Go(func() { v.Recovery, v.Sweep = recoveries(ix), sweeps(ix) })
	judging.Wait()
	for _, id := range unknownIDs(&run.Manifest, o) {
		v.Invariants = append(v.Invariants, history.Invariant{
			ID: id, Status: history.NotEvaluated, Reason: "this version has no such invariant",
		})
	}
	known := o.Known
	if known == nil {
		known = run.Manifest.Known
	}
	v.Known = applyKnown(ix, v.Invariants, known)
	v.Status, v.Reason = conclude(v.Invariants, run.Manifest.Named, stale(v.Known))
	return v
}

// asked is the list of ids that the run is to be judged by. An empty list stands
// for all that can be evaluated.
func asked(m *history.Manifest, o Options) []string {
	if len(o.Only) > 0 && !o.All {
		return o.Only
	}
	return m.Assert
}

func wantedOf(m *history.Manifest, o Options) func(id string) bool {
	ids := asked(m, o)
	if o.All || len(ids) == 0 {
		return func(string) bool { return true }
	}
	return func(id string) bool { return slices.Contains(ids, id) }
}

// unknownIDs are the ids asked for that no row of the table has.
func unknownIDs(m *history.Manifest, o Options) []string {
	var unknown []string
	for _, id := range asked(m, o) {
		known := slices.ContainsFunc(invariants(), func(inv invariant) bool { return inv.ID == id })
		if !known && !slices.Contains(unknown, id) {
			unknown = append(unknown, id)
		}
	}
	return unknown
}
