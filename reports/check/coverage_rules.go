package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/history"
)

// rareChance is the chance below which rules that marked nothing did so by no chance: of
// all rules of an arm together, so that one of many is not blamed for bad luck.
const rareChance = 0.01

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
		text, broken := a.idleRule(rule, did[rule.Rule], len(rules))
		switch {
		case text == "":
		case broken:
			use.broken = append(use.broken, text)
		default:
			use.chance = append(use.chance, text)
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

// idleRule says why a rule did nothing, and whether that is no chance; of a rule that
// did something it says nothing. It is one of so many rules.
func (a *arm) idleRule(rule *history.PlanRule, did *ruleDeed, rules int) (text string, broken bool) {
	if did == nil {
		did = &ruleDeed{}
	}
	switch {
	case neverActs(rule) != "":
		return rule.Rule + " can never act, for " + neverActs(rule), true
	case did.delivered > 0, rule.Case > 0:
		return "", false
	case !a.server(rule.On).used:
		return fmt.Sprintf("%s did nothing, for nothing was asked of %s", rule.Rule, rule.On), true
	case rule.Toxic != "":
		return a.idleToxic(rule, did)
	case len(rule.Idle) > 0:
		return a.idleIdle(rule, rules)
	case rule.Cut == cutBurst || rule.Cut == cutAccept || rule.Cut == cutKill && rule.At == "":
		return idleBurst(rule, did)
	case did.marked == 0:
		return a.unmarked(rule, rules)
	case did.missed == 0 && did.unarmed > 0 && len(rule.Ramp) == 0:
		return fmt.Sprintf("%s marked %s, and all came outside its window (%s)", rule.Rule, number(did.marked, "exchange"), strings.Join(rule.During, " to ")), true
	}
	return "", false
}

// The cuts of connections, as the plan has them.
const (
	cutBurst  = "burst"
	cutAccept = "accept"
)

// neverActs says why a rule cannot do anything, whatever happens, or nothing.
func neverActs(rule *history.PlanRule) string {
	switch {
	case rule.Toxic != "" && rule.Toxicity <= 0:
		return "its toxicity is 0"
	case rule.Toxic != "" || rule.Op != "" || rule.Cut == cutKill && rule.At == "" || rule.Share > 0:
		return ""
	}
	return "its share is 0"
}

// idleToxic is about a toxic, which leaves no receipt but that it was installed.
func (a *arm) idleToxic(rule *history.PlanRule, did *ruleDeed) (string, bool) {
	if did.installed > 0 && a.carried(rule.On) {
		return "", false
	}
	text := fmt.Sprintf("%s, the toxic %s, was on no connection to %s that carried anything", rule.Rule, rule.Toxic, rule.On)
	if len(rule.During) == 2 {
		text += fmt.Sprintf(" between %s and %s", rule.During[0], rule.During[1])
	}
	return text, true
}

// carried reports whether the client wrote anything to the server.
func (a *arm) carried(server string) bool {
	return slices.ContainsFunc(a.opOrder, func(o *operation) bool {
		return slices.ContainsFunc(o.exchanges, func(at *history.Attempt) bool { return at.Server == server && at.Written > 0 })
	})
}

// idleIdle is about a rule for idle connections that met none.
func (a *arm) idleIdle(rule *history.PlanRule, rules int) (string, bool) {
	opened := 0
	for _, o := range a.opOrder {
		for _, at := range o.exchanges {
			if at.Server == rule.On && at.ConnNew {
				opened++
			}
		}
	}
	if missedByChance(rule.Share, opened, rules) {
		return fmt.Sprintf("%s met no connection, which may be chance: a share of %g of %d", rule.Rule, rule.Share, opened), false
	}
	text := rule.Rule + " needs a connection that stays idle after an answer"
	if len(rule.Idle) == 2 {
		text += " for " + rule.Idle[1]
	}
	if len(rule.During) == 2 {
		text += fmt.Sprintf(" between %s and %s", rule.During[0], rule.During[1])
	}
	return text + ", and none did", true
}

// idleBurst is about a fault of all connections that met none.
func idleBurst(rule *history.PlanRule, did *ruleDeed) (string, bool) {
	switch {
	case did.reason == "":
		return rule.Rule + " had to mark something and marked nothing", true
	case rule.Share >= 1 || did.unarmed > 0 || rule.Cut == cutKill:
		return fmt.Sprintf("%s did nothing: %s", rule.Rule, did.reason), true
	}
	return fmt.Sprintf("%s met nothing, which may be chance: %s", rule.Rule, did.reason), false
}

// unmarked is about a rule for exchanges that marked none: there were none that it is
// about, earlier rules took all of them, or its share was unlucky.
func (a *arm) unmarked(rule *history.PlanRule, rules int) (string, bool) {
	if rule.Op != "" {
		return rule.Rule + " had to mark something and marked nothing", true
	}
	free, taken := a.eligible(rule)
	what := string(rule.At)
	if rule.Tool != "" {
		what += " of " + rule.Tool
	}
	switch {
	case free+taken == 0:
		return fmt.Sprintf("%s had to mark something and marked nothing, for no %s on %s was made that it is about", rule.Rule, what, rule.On), true
	case free == 0 && missedByChance(rule.Share, taken, rules):
		return fmt.Sprintf("%s marked nothing, for the rules before it took %s of %s", rule.Rule, number(taken, what), rule.On), false
	case free == 0:
		return fmt.Sprintf("%s marked nothing, for the rules before it took every %s on %s, %d in all", rule.Rule, what, rule.On, taken), true
	case missedByChance(rule.Share, free, rules):
		return fmt.Sprintf("%s marked nothing, which may be chance: a share of %g of %s", rule.Rule, rule.Share, number(free, "exchange")), false
	}
	return fmt.Sprintf("%s had to mark something and marked nothing: a share of %g of %s", rule.Rule, rule.Share, number(free, "exchange")), true
}

// missedByChance reports whether a share of so many trials may well pick none, for one of
// so many rules.
func missedByChance(share float64, trials, rules int) bool {
	return math.Pow(1-share, float64(trials))*float64(rules) >= rareChance
}

// eligible counts the exchanges that a rule is about: those that it could have marked,
// and those that other rules marked before it. The plan draws once for an attempt of an
// operation, however often a restart makes it.
func (a *arm) eligible(rule *history.PlanRule) (free, taken int) {
	type drawn struct {
		op      string
		attempt int
	}
	seen := map[drawn]bool{}
	for _, o := range a.opOrder {
		for _, at := range o.exchanges {
			if !mayMark(rule, at) || seen[drawn{at.Op, at.Attempt}] {
				continue
			}
			seen[drawn{at.Op, at.Attempt}] = true
			if at.Mark != nil {
				taken++
			} else {
				free++
			}
		}
	}
	return free, taken
}

// mayMark reports whether a rule by shares may mark an exchange.
func mayMark(rule *history.PlanRule, at *history.Attempt) bool {
	own, added, _ := strings.Cut(stepOf(at.Op), ".")
	step, _ := strconv.Atoi(strings.TrimPrefix(own, "s")) // an id of another form has no step
	switch {
	case at.Server != rule.On, at.Role != rule.At, rule.Attempts > 0 && at.Attempt > rule.Attempts:
		return false
	case added != "" && rule.At != history.RoleSettle && rule.At != history.RoleLookup:
		return false
	}
	return (rule.Tool == "" || rule.Tool == at.Tool) && (rule.First == 0 || step <= rule.First)
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
