package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
)

// receipts asks that every fault that the plan marked on an exchange which was
// sent has a receipt, or is named with the reason why it has none. What the plan
// marks is taken from the client's side, so that a fault layer that does nothing
// is noticed.
func receipts(ix *index) history.Clause {
	const name = "receipts"
	return ix.eachArm(name, func(a *arm) history.Clause {
		r := receiptsOf(a)
		rules := ix.cutRules(a)
		switch {
		case rules == 0 && len(a.marked) == 0 && len(a.cuts) == 0:
			return notEvaluated(name, "no fault was planned")
		case rules > 0 && len(a.cuts) == 0:
			return clause(name, false, fmt.Sprintf("the plan has %s, and no fault was delivered%s", number(rules, "rule"), r.named()))
		}
		text := fmt.Sprintf("of %s sent, %d met their fault", number(r.sent, "marked exchange"), len(r.met))
		if r.unsent > 0 {
			text += fmt.Sprintf("; %d never sent", r.unsent)
		}
		if len(r.unexplained) > 0 {
			text += fmt.Sprintf("; unexplained: %s", few(r.unexplained))
		}
		return clause(name, len(r.unexplained) == 0, text+r.named())
	})
}

// receiptCount is what became of the faults that the plan marked in one arm.
type receiptCount struct {
	sent, unsent int
	met          map[*history.Attempt]bool // exchanges that have their receipt
	explained    tally                     // reasons
	unexplained  []string                  // exchanges whose fault nobody accounts for
	counted      map[*history.Fault]bool
}

func receiptsOf(a *arm) *receiptCount {
	r := &receiptCount{counted: map[*history.Fault]bool{}, met: map[*history.Attempt]bool{}}
	for _, at := range a.marked {
		r.count(at, a.operations[baseOp(at.Op)].faults)
	}
	r.missed(a.faults)
	return r
}

// count looks for the receipt of one marked exchange among the faults of its
// operation.
func (r *receiptCount) count(at *history.Attempt, faults []*history.Fault) {
	var other *history.Fault
	for _, f := range faults {
		if f.Op != at.Op || !concerns(f, at) {
			continue
		}
		if f.State == history.FaultDelivered {
			r.sent++
			r.met[at] = true
			return
		}
		other = f
	}
	if at.Written == 0 {
		r.unsent++
		return
	}
	r.sent++
	switch {
	case other != nil && other.State == history.FaultUnarmed:
		r.explained.add("outside the rule's window")
	case other != nil && other.Reason != "":
		r.explained.add(other.Reason)
	case other != nil:
		r.counted[other] = true
		r.unexplained = append(r.unexplained, exchangeName(at)+" (missed without a reason)")
	case diedOtherwise(at):
		r.explained.add("the connection died of another cause: " + at.Cause.Class)
	default:
		r.unexplained = append(r.unexplained, exchangeName(at)+" (no record from the fault layer)")
	}
}

// missed adds the faults that were armed, not delivered and given no reason, and
// that no marked exchange has named already.
func (r *receiptCount) missed(faults []*history.Fault) {
	for _, f := range faults {
		if f.State != history.FaultMissed || f.Reason != "" || r.counted[f] {
			continue
		}
		r.unexplained = append(r.unexplained, fmt.Sprintf("%s of rule %s (missed without a reason)", f.Cut, f.Rule))
	}
}

// named lists why faults were not delivered.
func (r *receiptCount) named() string {
	var out []string
	for _, reason := range r.explained.order {
		out = append(out, fmt.Sprintf("%d %s", r.explained.count[reason], reason))
	}
	if len(out) == 0 {
		return ""
	}
	return "; named: " + strings.Join(out, ", ")
}

// concerns reports whether a fault is about this exchange of its operation. A
// burst can come when so little of a request is there that its role is not known.
func concerns(f *history.Fault, at *history.Attempt) bool {
	role := f.Role == at.Role || (f.Cut == cutBurst && f.Role == "")
	return f.Attempt == at.Attempt && role && (f.Rollout == "" || f.Rollout == at.Rollout)
}

// diedOtherwise reports whether the exchange ended with its connection, so that
// there was nothing left for its own fault to cut.
func diedOtherwise(at *history.Attempt) bool {
	if at.Cause == nil {
		return false
	}
	switch at.Cause.Class {
	case "dial", "no_byte_written", "reset", "eof", "truncated", "cancelled":
		return true
	}
	return false
}

func exchangeName(at *history.Attempt) string {
	return fmt.Sprintf("%s of attempt %d at %s", at.Role, at.Attempt, at.Op)
}

// cutRules is how many rules of the arm can cut anything.
func (ix *index) cutRules(a *arm) int {
	n := 0
	for i := range ix.run.Plan {
		rule := &ix.run.Plan[i]
		if rule.Arm == a.Name && rule.Cut != "" && (rule.Share > 0 || rule.Op != "") {
			n++
		}
	}
	return n
}
