package chart

import (
	"math"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// delivery is what became of one operation: exactly one of these.
type delivery int

// The deliveries, in the order in which every report shows them.
const (
	exactlyOnce delivery = iota // answered after one attempt, in the usual time
	late                        // answered after one attempt, later than usual
	retried                     // answered after more than one attempt, or after its fate was settled
	duplicated                  // executed twice or more, though a repeat changes something
	lost                        // never executed, and no tool refused it
	unsettled                   // the caller has no answer, and it was or may have been executed
	deliveries                  // how many there are
)

var deliveryNames = [deliveries]string{"exactly once", "late", "retried or settled", "duplicated effect", "lost", "unknown"}

// bars is what the outcome figure shows of one arm.
type bars struct {
	run      *history.Run
	arm      *history.Arm
	rows     []bar
	all      bar           // every operation that a fault struck, once
	bound    time.Duration // answers after it are late; 0 where nothing says what is usual
	keyless  int           // struck operations that execute nothing
	stray    int           // faults that struck no operation
	baseline string        // where the bound comes from
}

// bar is the operations that one kind of fault struck.
type bar struct {
	cut    string // empty where no fault struck them
	counts [deliveries]int
	of     int
}

func (b *bar) add(d delivery) {
	b.counts[d]++
	b.of++
}

// harmed counts the operations of which something is wrong or not known.
func (b *bar) harmed() int { return b.counts[duplicated] + b.counts[lost] + b.counts[unsettled] }

// measureOutcomes sorts the operations of an arm by the faults that struck them. One
// that several kinds struck counts in the bar of each, and in all once.
func measureOutcomes(run *history.Run, arm *history.Arm) *bars {
	b := &bars{run: run, arm: arm}
	struck, stray := hits(run, arm)
	b.stray = stray
	executed := truths(run, arm)
	ops := asked(run, arm)
	b.setBound(ops, struck)
	calm := bar{}
	byCut := map[string]*bar{}
	for _, op := range ops {
		strikes := struck[op.Op]
		if op.Key == "" {
			b.keyless += min(len(strikes), 1)
			continue
		}
		d := b.deliveryOf(op, executed[op.Op])
		if len(strikes) == 0 {
			calm.add(d)
			continue
		}
		b.all.add(d)
		for _, cut := range cutsOf(strikes) {
			if byCut[cut] == nil {
				byCut[cut] = &bar{cut: cut}
			}
			byCut[cut].add(d)
		}
	}
	for _, row := range byCut {
		b.rows = append(b.rows, *row)
	}
	slices.SortFunc(b.rows, func(x, y bar) int { return compareCuts(x.cut, y.cut) })
	if calm.of > 0 {
		b.rows = append(b.rows, calm)
	}
	return b
}

// cutsOf are the different cuts among strikes.
func cutsOf(strikes []strike) []string {
	var cuts []string
	for _, s := range strikes {
		if !slices.Contains(cuts, s.cut) {
			cuts = append(cuts, s.cut)
		}
	}
	return cuts
}

// usualLeast is how many operations it takes to say what time is usual.
const usualLeast = 100

// setBound makes what 99 % of the operations of the control arm take the bound for
// lateness or, without such an arm, what those of the arm take that no fault struck.
func (b *bars) setBound(ops []*history.Op, struck map[string][]strike) {
	var control, calm []float64
	for i := range b.run.Manifest.Arms {
		other := &b.run.Manifest.Arms[i]
		if other.Control && other.Name != b.arm.Name && sameEra(other, b.arm) {
			control = answerTimes(asked(b.run, other), nil)
			break
		}
	}
	calm = answerTimes(ops, struck)
	switch {
	case len(control) >= usualLeast:
		b.baseline = "control"
	case len(calm) >= usualLeast:
		control, b.baseline = calm, "unstruck"
	default:
		return
	}
	b.bound = time.Duration(math.Round(stats.Quantiles(control, 0.99)[0]))
}

// answerTimes are how long answered operations took that no fault struck, in
// nanoseconds.
func answerTimes(ops []*history.Op, struck map[string][]strike) []float64 {
	var out []float64
	for _, op := range ops {
		if op.Key != "" && !opFailed(op.Told) && len(struck[op.Op]) == 0 {
			out = append(out, float64(max(op.End-op.Start, 0)))
		}
	}
	return out
}

// deliveryOf says what became of an operation that was executed so often.
func (b *bars) deliveryOf(op *history.Op, e executions) delivery {
	harmless := op.Class == history.ReadOnly || op.Class == history.Idempotent
	answered := !opFailed(op.Told)
	switch {
	case e.low >= 2 && !harmless:
		return duplicated
	case e.high == 0 && op.Told != history.ToldToolError:
		return lost
	case !answered:
		return unsettled
	case op.Attempts > 1 || op.Settled != "":
		return retried
	case b.bound > 0 && time.Duration(op.End-op.Start) > b.bound:
		return late
	}
	return exactlyOnce
}
