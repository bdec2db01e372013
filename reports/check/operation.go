package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// operation is one operation over every rollout of its task. A restart gives
// operations no new ids, so what is sent again across a restart is seen here.
type operation struct {
	id        string
	runs      []*history.Op      // one for each rollout that wanted it
	exchanges []*history.Attempt // in the order in which the client made them, settles included
	faults    []*history.Fault   // in the order of their file, those of its settles included
	deeds     []*deed            // what was executed for it
	reissued  int                // calls of it that the run's setting excuses
}

// baseOp is the operation that work under an id serves: a settle is recorded as
// t000017/s02.settle.
func baseOp(id string) string {
	id, _, _ = strings.Cut(id, ".")
	return id
}

// isOpID reports whether a text is the id of an operation, t000017/s02.
func isOpID(text string) bool {
	task, step, ok := strings.Cut(text, "/")
	if !ok || len(step) < 2 || step[0] != 's' {
		return false
	}
	if _, err := strconv.ParseUint(step[1:], 10, 31); err != nil {
		return false
	}
	_, _, err := wire.SplitTask(task)
	return err == nil
}

func (a *arm) operation(id string) *operation {
	id = baseOp(id)
	o, ok := a.operations[id]
	if !ok {
		o = a.index.room.operations.make()
		o.id = id
		a.operations[id] = o
		a.opOrder = append(a.opOrder, o)
	}
	return o
}

// order puts the records in the order of the client, which made all of them: by
// rollout, and by its own clock within one.
func (o *operation) order() {
	slices.SortStableFunc(o.runs, func(a, b *history.Op) int { return byRestart(a.Rollout, b.Rollout) })
	slices.SortStableFunc(o.exchanges, func(a, b *history.Attempt) int {
		return cmp.Or(byRestart(a.Rollout, b.Rollout), cmp.Compare(a.Start, b.Start))
	})
}

func byRestart(a, b string) int {
	if a == b {
		return 0
	}
	return cmp.Compare(restartOf(a), restartOf(b))
}

// restartOf is the number of a rollout within its task, from 1; 0 where the id
// gives none.
func restartOf(rollout string) int {
	_, number, _ := strings.Cut(rollout, ".")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// run is the operation's record in one rollout, or nil.
func (o *operation) run(rollout string) *history.Op {
	for _, op := range o.runs {
		if op.Rollout == rollout {
			return op
		}
	}
	return nil
}

// rollout names the first rollout that wanted the operation.
func (o *operation) rollout() string {
	if len(o.runs) == 0 {
		return ""
	}
	return o.runs[0].Rollout
}

// receipt is a fault that really happened to the operation in a rollout, or to
// its settling, or nil.
func (o *operation) receipt(rollout string) *history.Fault {
	for _, f := range o.faults {
		if f.State == history.FaultDelivered && (f.Rollout == "" || f.Rollout == rollout) {
			return f
		}
	}
	return nil
}

// answeredByFault reports whether a front end of ours answered for the server in
// a rollout of the operation.
func (o *operation) answeredByFault(rollout string) bool {
	return slices.ContainsFunc(o.faults, func(f *history.Fault) bool {
		return f.State == history.FaultDelivered && f.Manner == mannerStatus && (f.Rollout == "" || f.Rollout == rollout)
	})
}

// voided reports whether an answered settle voided the operation. The record of
// a rollout holds the last fate; a settle before the last one can only have
// voided, or there would have been nothing more to settle.
func (o *operation) voided(settle *history.Attempt) bool {
	last := true
	for _, at := range o.exchanges {
		if settled(at) && at.Rollout == settle.Rollout && at.Start > settle.Start {
			last = false
		}
	}
	op := o.run(settle.Rollout)
	return !last || op == nil || op.Settled == settledVoided
}

// What a settle can say of an operation, as history.Op has them.
const (
	settledResult = "result"
	settledVoided = "voided"
)

// settled reports whether the exchange is a settle that was answered.
func settled(at *history.Attempt) bool {
	return at.Role == history.RoleSettle && at.Told == history.ToldOK
}

// sent reports whether the exchange is a call of which anything left.
func sent(at *history.Attempt) bool { return at.Role == history.RoleCall && at.Written > 0 }
