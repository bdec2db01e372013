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

// usedRule is a rule of an arm and what it did there.
type usedRule struct {
	*history.PlanRule
	arm   *arm
	did   ruleDeed
	among int // so many rules of the arm, itself included
}

// idleness is why a rule did nothing; without a text it did something. A broken one did
// nothing by no chance.
type idleness struct {
	text   string
	broken bool
}

// broken and chance say, after the name of the rule, why it did nothing.
func (r usedRule) broken(format string, args ...any) idleness {
	return idleness{r.Rule + fmt.Sprintf(format, args...), true}
}

func (r usedRule) chance(format string, args ...any) idleness {
	return idleness{text: r.Rule + fmt.Sprintf(format, args...)}
}

// idle says why the rule did nothing.
func (r usedRule) idle() idleness {
	if why := r.neverActs(); why != "" {
		return r.broken(" can never act, for %s", why)
	}
	switch {
	case r.did.delivered > 0, r.Case > 0:
		return idleness{}
	case !r.arm.server(r.On).used:
		return r.broken(" did nothing, for nothing was asked of %s", r.On)
	case r.Toxic != "":
		return r.idleToxic()
	case len(r.Idle) > 0:
		return r.idleIdle()
	case r.Cut == cutBurst || r.Cut == cutAccept || r.killsServer():
		return r.idleBurst()
	case r.did.marked == 0:
		return r.unmarked()
	case r.did.missed == 0 && r.did.unarmed > 0 && len(r.Ramp) == 0:
		return r.broken(" marked %s, and all came outside its window (%s)", number(r.did.marked, "exchange"), strings.Join(r.During, " to "))
	}
	return idleness{}
}

// killsServer reports whether the rule ends a server's process at a time of its own, and not
// at an exchange.
func (r usedRule) killsServer() bool { return r.Cut == cutKill && r.At == "" }

// neverActs says why the rule cannot do anything, whatever happens, or nothing.
func (r usedRule) neverActs() string {
	switch {
	case r.Toxic != "" && r.Toxicity <= 0:
		return "its toxicity is 0"
	case r.Toxic != "" || r.Op != "" || r.killsServer() || r.Share > 0:
		return ""
	}
	return "its share is 0"
}

// idleToxic is about a toxic, which leaves no receipt but that it was installed.
func (r usedRule) idleToxic() idleness {
	if r.did.installed > 0 && r.arm.carried(r.On) {
		return idleness{}
	}
	return r.broken(", the toxic %s, was on no connection to %s that carried anything%s", r.Toxic, r.On, r.window())
}

// window is when the rule is armed, if not always.
func (r usedRule) window() string {
	if len(r.During) != 2 {
		return ""
	}
	return fmt.Sprintf(" between %s and %s", r.During[0], r.During[1])
}

// carried reports whether the client wrote anything to the server.
func (a *arm) carried(server string) bool {
	return slices.ContainsFunc(a.opOrder, func(o *operation) bool {
		return slices.ContainsFunc(o.exchanges, func(at *history.Attempt) bool { return at.Server == server && at.Written > 0 })
	})
}

// idleIdle is about a rule for idle connections that met none.
func (r usedRule) idleIdle() idleness {
	opened := 0
	for _, o := range r.arm.opOrder {
		for _, at := range o.exchanges {
			if at.Server == r.On && at.ConnNew {
				opened++
			}
		}
	}
	if r.missedByChance(opened) {
		return r.chance(" met no connection, which may be chance: a share of %g of %d", r.Share, opened)
	}
	lasting := ""
	if len(r.Idle) == 2 {
		lasting = " for " + r.Idle[1]
	}
	return r.broken(" needs a connection that stays idle after an answer%s%s, and none did", lasting, r.window())
}

// idleBurst is about a fault of all connections that met none.
func (r usedRule) idleBurst() idleness {
	switch {
	case r.did.reason == "":
		return r.broken(" had to mark something and marked nothing")
	case r.Share >= 1 || r.did.unarmed > 0 || r.Cut == cutKill:
		return r.broken(" did nothing: %s", r.did.reason)
	}
	return r.chance(" met nothing, which may be chance: %s", r.did.reason)
}

// unmarked is about a rule for exchanges that marked none: there were none that it is
// about, earlier rules took all of them, or its share was unlucky.
func (r usedRule) unmarked() idleness {
	if r.Op != "" {
		return r.broken(" had to mark something and marked nothing")
	}
	free, taken := r.eligible()
	what := string(r.At)
	if r.Tool != "" {
		what += " of " + r.Tool
	}
	switch {
	case free+taken == 0:
		return r.broken(" had to mark something and marked nothing, for no %s on %s was made that it is about", what, r.On)
	case free == 0 && r.missedByChance(taken):
		return r.chance(" marked nothing, for the rules before it took %s of %s", number(taken, what), r.On)
	case free == 0:
		return r.broken(" marked nothing, for the rules before it took every %s on %s, %d in all", what, r.On, taken)
	case r.missedByChance(free):
		return r.chance(" marked nothing, which may be chance: a share of %g of %s", r.Share, number(free, "exchange"))
	}
	return r.broken(" had to mark something and marked nothing: a share of %g of %s", r.Share, number(free, "exchange"))
}

// missedByChance reports whether the rule's share of so many trials may well pick none, for
// one of as many rules as there are.
func (r usedRule) missedByChance(trials int) bool {
	return math.Pow(1-r.Share, float64(trials))*float64(r.among) >= rareChance
}

// eligible counts the exchanges that the rule is about: those that it could have marked,
// and those that other rules marked before it. The plan draws once for an attempt of an
// operation, however often a restart makes it.
func (r usedRule) eligible() (free, taken int) {
	type drawn struct {
		op      string
		attempt int
	}
	seen := map[drawn]bool{}
	for _, o := range r.arm.opOrder {
		for _, at := range o.exchanges {
			if !r.mayMark(at) || seen[drawn{at.Op, at.Attempt}] {
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

// mayMark reports whether the rule, which is one by shares, may mark an exchange.
func (r usedRule) mayMark(at *history.Attempt) bool {
	own, added, _ := strings.Cut(stepOf(at.Op), ".")
	step, _ := strconv.Atoi(strings.TrimPrefix(own, "s")) // an id of another form has no step
	switch {
	case at.Server != r.On, at.Role != r.At, r.Attempts > 0 && at.Attempt > r.Attempts:
		return false
	case added != "" && r.At != history.RoleSettle && r.At != history.RoleLookup:
		return false
	}
	return (r.Tool == "" || r.Tool == at.Tool) && (r.First == 0 || step <= r.First)
}
