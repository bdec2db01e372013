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
	r := receiptCount{ix: ix, counted: map[*history.Fault]bool{}}
	for _, a := range ix.judged {
		for _, at := range a.marked {
			r.marked++
			r.count(at)
		}
		r.delivered += len(a.cuts)
	}
	r.missed()
	rules := cutRules(ix)
	switch {
	case rules == 0 && r.marked == 0 && r.delivered == 0:
		return notEvaluated(name, "no fault was planned")
	case rules > 0 && r.delivered == 0:
		return clause(name, false, fmt.Sprintf("the plan has %s, and no fault was delivered%s", number(rules, "rule"), r.named()))
	}
	text := fmt.Sprintf("of %s sent, %d met their fault", number(r.sent, "marked exchange"), r.met)
	if r.unsent > 0 {
		text += fmt.Sprintf("; %d never sent", r.unsent)
	}
	if len(r.unexplained) > 0 {
		text += fmt.Sprintf("; unexplained: %s", few(r.unexplained))
	}
	return clause(name, len(r.unexplained) == 0, text+r.named())
}

// receiptCount is what became of the faults that the plan marked.
type receiptCount struct {
	ix                *index
	marked, delivered int
	sent, met, unsent int
	explained         tally    // reasons
	unexplained       []string // exchanges whose fault nobody accounts for
	counted           map[*history.Fault]bool
}

// count looks for the receipt of one marked exchange.
func (r *receiptCount) count(at *history.Attempt) {
	var other *history.Fault
	for _, f := range r.ix.faults[opKey{at.Arm, at.Op}] {
		if !concerns(f, at) {
			continue
		}
		if f.State == history.FaultDelivered {
			r.sent++
			r.met++
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
func (r *receiptCount) missed() {
	for i := range r.ix.run.Faults {
		f := &r.ix.run.Faults[i]
		a := r.ix.arms[f.Arm]
		if a == nil || !a.judged || f.State != history.FaultMissed || f.Reason != "" || r.counted[f] {
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

// concerns reports whether a fault is about this exchange of its operation.
func concerns(f *history.Fault, at *history.Attempt) bool {
	return f.Attempt == at.Attempt && f.Role == at.Role && (f.Rollout == "" || f.Rollout == at.Rollout)
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

// cutRules is how many rules of the judged arms can cut anything.
func cutRules(ix *index) int {
	n := 0
	for i := range ix.run.Plan {
		rule := &ix.run.Plan[i]
		if a := ix.arms[rule.Arm]; a != nil && a.judged && rule.Cut != "" && (rule.Share > 0 || rule.Op != "") {
			n++
		}
	}
	return n
}
