package check

import (
	"fmt"

	"mcpstorm/history"
)

// ruleUse is what the rules of an arm that did nothing come to: each text names its
// rule. Those of chance are told and no more; one that cannot act, or had to and did
// not, is broken.
type ruleUse struct {
	chance []string
	broken []string
}

// ruleUse says which of some rules of the arm did nothing, and why. A sweep's rules are
// followed case by case elsewhere.
func (a *arm) ruleUse(rules []*history.PlanRule, did map[string]*ruleDeed) (use ruleUse) {
	for _, rule := range rules {
		r := usedRule{PlanRule: rule, arm: a, among: len(rules)}
		if d := did[rule.Rule]; d != nil {
			r.did = *d
		}
		switch why := r.idle(); {
		case why.text == "":
		case why.broken:
			use.broken = append(use.broken, why.text)
		default:
			use.chance = append(use.chance, why.text)
		}
	}
	return use
}

// ruleDeeds is what each rule did, by its id.
func (a *arm) ruleDeeds() map[string]*ruleDeed {
	did := map[string]*ruleDeed{}
	of := func(rule string) *ruleDeed {
		if did[rule] == nil {
			did[rule] = &ruleDeed{}
		}
		return did[rule]
	}
	for _, at := range a.marked {
		of(at.Mark.Rule).marked++
	}
	for _, f := range a.faults {
		d := of(f.Rule)
		switch f.State {
		case history.FaultDelivered:
			d.delivered++
		case history.FaultUnarmed:
			d.unarmed++
		case history.FaultMissed:
			d.missed++
		case history.FaultInstalled:
			d.installed++
		}
		if f.State != history.FaultDelivered && f.Reason != "" {
			d.reason = f.Reason
		}
	}
	return did
}

// ruleDeed counts what one rule did.
type ruleDeed struct {
	marked                                int // exchanges
	delivered, unarmed, missed, installed int // records of the fault layer
	reason                                string
}

// toxics says of the toxics among some rules what is known of them, or nothing where none
// is: what one does to a connection leaves no record.
func toxics(rules []*history.PlanRule, did map[string]*ruleDeed) string {
	var texts []string
	for _, rule := range rules {
		if d := did[rule.Rule]; rule.Toxic != "" && d != nil && d.installed > 0 {
			texts = append(texts, fmt.Sprintf("%s, the toxic %s, was installed on %s", rule.Rule, rule.Toxic, number(d.installed, "connection")))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return enumerate(texts) + "; what a toxic does to a connection is not recorded"
}
