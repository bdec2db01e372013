package check

import (
	"fmt"
	"slices"
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
		case len(rules) == 0 && len(a.marked) == 0 && len(a.cuts) == 0:
			return notEvaluated(name, "no cut was planned")
		case len(rules) > 0 && len(a.cuts) == 0:
			return clause(name, false, fmt.Sprintf("the plan has %s, and no fault was delivered%s", number(len(rules), "rule"), r.named()+ix.partOnly()))
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

// effective asks that every rule of the plan did something, unless that it did nothing may
// be chance.
func effective(ix *index) history.Clause {
	const name = "rules"
	return ix.eachArm(name, func(a *arm) history.Clause {
		rules := ix.rules(a)
		if len(rules) == 0 {
			return notEvaluated(name, "no fault was planned")
		}
		did := a.ruleDeeds()
		use := a.ruleUse(rules, did)
		texts := append([]string{acted(rules, did)}, use.broken...)
		if text := toxics(rules, did); text != "" {
			texts = append(texts, text)
		}
		text := strings.Join(texts, "; ")
		if len(use.broken) > 0 {
			text += ix.partOnly()
		}
		return clause(name, len(use.broken) == 0, text)
	})
}

// ChanceClause is the clause of coverage that names the rules which did nothing by chance. The
// run holds all the same.
const ChanceClause = "rules left to chance"

// leftToChance names the rules that did nothing where that may be chance: the run holds,
// and says nothing of them. Without one there is no such clause.
func leftToChance(ix *index) []history.Clause {
	var texts []string
	for _, a := range ix.judged {
		rules := ix.rules(a)
		texts = append(texts, a.ruleUse(rules, a.ruleDeeds()).chance...)
	}
	if len(texts) == 0 {
		return nil
	}
	return []history.Clause{notEvaluated(ChanceClause, strings.Join(texts, "; "))}
}

// acted counts the rules, each once by its id, that are known to have done something.
func acted(rules []*history.PlanRule, did map[string]*ruleDeed) string {
	known := map[string]bool{}
	count := 0
	for _, rule := range rules {
		if d := did[rule.Rule]; !known[rule.Rule] && d != nil && d.delivered+d.installed > 0 {
			count++
		}
		known[rule.Rule] = true
	}
	return fmt.Sprintf("%d of %s acted", count, number(len(known), "rule"))
}

// partOnly says which part of the script alone was run, where that can be why a rule
// met nothing; otherwise it is empty.
func (ix *index) partOnly() string {
	over := ix.run.Manifest.Overrides
	switch {
	case over == nil:
	case len(over.Only) > 0:
		return fmt.Sprintf("; --only %s left the other tasks out, and with them what the rules may be about", strings.Join(over.Only, ","))
	case len(over.Scenarios) > 0:
		return fmt.Sprintf("; --scenario %s left the other scenarios out, and with them what the rules may be about", strings.Join(over.Scenarios, ","))
	}
	return ""
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
		r.count(a, at)
	}
	r.missed(a.faults)
	return r
}

// count looks for the receipt of one marked exchange among the faults of its
// operation. Only the very fault that was marked is the receipt. A burst, and a
// record of the mark's own rule that gives a reason, explain why there is none; a
// connection that died explains nothing, for that is what a cut looks like.
func (r *receiptCount) count(a *arm, at *history.Attempt) {
	var own, burst, instead *history.Fault
	for _, f := range a.operations[baseOp(at.Op)].faults {
		switch {
		case f.State == history.FaultDelivered && ofConnection(f):
			if cutBy(f, at) && !r.counted[f] {
				burst = f
			}
		case f.Op != at.Op || !concerns(f, at):
		case f.State == history.FaultDelivered && *at.Mark == markOf(f):
			r.sent++
			r.met[at] = true
			return
		case f.State == history.FaultDelivered:
			instead = f
		case f.Rule == at.Mark.Rule:
			own = f
		}
	}
	if burst == nil {
		burst = a.unnamed[at]
	}
	if at.Written == 0 && instead == nil {
		r.unsent++
		return
	}
	r.sent++
	r.explain(at, own, burst, instead)
}

// explain says why a marked exchange that was sent has no receipt: own is what the
// fault layer recorded of its mark, burst the burst that cut its connection, and
// instead another fault that it met. Any may be nil. A burst cuts a connection
// once, and so explains one exchange.
func (r *receiptCount) explain(at *history.Attempt, own, burst, instead *history.Fault) {
	switch {
	case instead != nil:
		r.unexplained = append(r.unexplained, fmt.Sprintf("%s (met %s of rule %s instead of %s of rule %s)",
			exchangeName(at), cutText(markOf(instead)), instead.Rule, cutText(*at.Mark), at.Mark.Rule))
	case own != nil && own.State == history.FaultUnarmed:
		r.explained.add("outside the rule's window")
	case own != nil && own.Reason != "":
		r.explained.add(own.Reason)
	case own != nil:
		r.counted[own] = true
		r.unexplained = append(r.unexplained, exchangeName(at)+" (missed without a reason)")
	case burst != nil:
		r.counted[burst] = true
		r.explained.add(connectionReason(burst))
	default:
		r.unexplained = append(r.unexplained, exchangeName(at)+" (no record from the fault layer)")
	}
}

// missed adds what no marked exchange has named: faults that were armed, not
// delivered and given no reason, and bursts that met no connection.
func (r *receiptCount) missed(faults []*history.Fault) {
	for _, f := range faults {
		switch {
		case f.State == history.FaultMissed && f.Reason == "" && !r.counted[f]:
			r.unexplained = append(r.unexplained, fmt.Sprintf("%s of rule %s (missed without a reason)", f.Cut, f.Rule))
		case ofConnection(f) && f.State != history.FaultDelivered:
			r.explained.add(f.Cut + ": " + f.Reason)
		}
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

// markOf is the mark that a fault fulfils.
func markOf(f *history.Fault) history.Mark {
	return history.Mark{Rule: f.Rule, Cut: f.Cut, Manner: f.Manner}
}

func cutText(m history.Mark) string { return strings.TrimSpace(m.Cut + " " + m.Manner) }

func exchangeName(at *history.Attempt) string {
	return fmt.Sprintf("%s of attempt %d at %s", at.Role, at.Attempt, at.Op)
}

// rules are those of the arm.
func (ix *index) rules(a *arm) (rules []*history.PlanRule) {
	for i := range ix.run.Plan {
		if rule := &ix.run.Plan[i]; rule.Arm == a.Name {
			rules = append(rules, rule)
		}
	}
	return rules
}

// cutRules are those of them that cut.
func (ix *index) cutRules(a *arm) []*history.PlanRule {
	return slices.DeleteFunc(ix.rules(a), func(r *history.PlanRule) bool { return r.Cut == "" })
}
