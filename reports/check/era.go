package check

import (
	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// stateless reports whether an exchange or a server of this era follows the rules of
// the stateless one, in which a disconnect is a cancel, there are no sessions, and an
// answer that was lost with its stream is lost for good. Eras are dates, and so are
// ordered as texts; a record without one is of the older.
func stateless(era string) bool { return era >= wire.EraStateless }

// reissueSpec is the setting of a run whose clients send a call again that was lost
// with its stream, whatever a repeat would do: the changelog of 2026-07-28 asks for
// that, and no normative page does.
const reissueSpec = "spec"

// countReissues counts for each operation the calls that the setting excuses, so that
// they stand apart from replays. Without it they are replays like any other.
func (a *arm) countReissues() {
	if a.index.run.Manifest.Reissue != reissueSpec {
		return
	}
	for _, o := range a.opOrder {
		if o.harmful() {
			o.reissued, _, _ = o.resent(lostWithItsStream)
		}
	}
}

// lostWithItsStream reports whether a call of the stateless era ended with the stream
// that its answer was to come on.
func lostWithItsStream(at *history.Attempt) bool {
	if !stateless(at.Era) || at.Cause == nil {
		return false
	}
	switch at.Cause.Class {
	case "reset", "eof", "truncated":
		return true
	}
	return false
}

// reissues is how many executions too many of a deed the setting excuses.
func (d *deed) reissues() int {
	n := 0
	for _, o := range d.operations {
		n += o.reissued
	}
	return n
}

// reissueRates count apart what the setting excuses. Without it they are left out.
func reissueRates(ix *index) []history.Rate {
	if ix.run.Manifest.Reissue != reissueSpec {
		return nil
	}
	again, twice := ix.numbers.clusters(), ix.numbers.clusters()
	for _, a := range ix.judged {
		for _, o := range a.opOrder {
			if !o.harmful() {
				continue
			}
			again.add(o.rollout(), o.reissued > 0)
			twice.add(o.rollout(), o.reissued > 0 && o.executedTwice())
		}
	}
	if len(again.list) == 0 {
		return nil
	}
	return []history.Rate{
		{Name: "reissued", Text: "operations that are not replay-safe were sent again because their stream broke (--reissue=spec)", Rate: *again.rate()},
		{Name: "reissued-twice", Text: "operations were executed twice or more by that", Rate: *twice.rate()},
	}
}

// executedTwice reports whether a deed of the operation was executed more often than
// it was wanted, excused or not.
func (o *operation) executedTwice() bool {
	for _, d := range o.deeds {
		if d.lo > len(d.operations) {
			return true
		}
	}
	return false
}
