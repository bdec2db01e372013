// Package plan decides which exchange meets which fault. A plan is a pure
// function of the rules and the seed: it keeps no state, reads no clock, and
// gives the same answer whatever the scheduling, so that two runs, or two arms
// of one run, meet the same faults.
package plan

import (
	"errors"
	"time"

	"mcpstorm/history"
)

// The errors of this package.
var (
	// ErrRule says that a fault rule is wrong; the text names the rule, the key
	// and the value seen, and what is known.
	ErrRule = errors.New("plan: bad fault rule")
	// ErrUnsupported says that a rule asks for something that is documented and
	// not there yet.
	ErrUnsupported = errors.New("plan: not supported yet")
)

// The cuts: where an exchange breaks.
const (
	C0  = "C0"  // the connection is refused
	C1  = "C1"  // the request read by the proxy, no byte given to the server
	C2  = "C2"  // part of the request given to the server
	C3  = "C3"  // the whole request given, cut at once, no answer byte
	C3w = "C3w" // the whole request withheld from the server
	C4  = "C4"  // the answer withheld until its result has been seen, then cut
	C5  = "C5"  // as C4, with the head of the answer given
	C6  = "C6"  // as C4, with the head and about half of the body given
	C7  = "C7"  // the answer given whole, without the end of its stream
	C8  = "C8"  // a clean-up exchange withheld from the server

	// CutBurst is not a place in an exchange: open connections are cut together,
	// whatever is under way on them.
	CutBurst = "burst"
	// CutIdle is none either: a connection is closed or forgotten when it has been
	// idle for a time. Nor is CutAccept: for a time connections are not taken.
	CutIdle   = "idle"
	CutAccept = "accept"
	// CutKill ends the process of a server and starts it again. As a mark on an
	// exchange it comes as C4 does, when the result has been seen and not a byte of it
	// given; without one it comes at a time. Every open connection breaks with it.
	CutKill = "kill"
)

// The manners: how it breaks.
const (
	FIN    = "fin"    // both sockets are closed in order
	RST    = "rst"    // both sockets are reset
	Hold   = "hold"   // nothing more passes, and both sockets stay open
	Status = "status" // a front end answers, in place of the server or over its answer
	Forget = "forget" // of an idle connection: the next request is answered by a reset
	Late   = "late"   // what the cut withholds passes after all, some time later
)

// DefaultAttempts is how many attempts of an operation a share rule marks unless
// it says otherwise, so that a bounded retry can get through in the end.
const DefaultAttempts = 2

// Rule is one resolved fault rule. It is one of these forms: a share of the
// exchanges (none of the others), one listed exchange (Op set), a fault of
// connections (Cut is CutBurst, CutIdle, CutAccept, or CutKill without At), a toxic
// (Toxic set), or a sweep (Sweep set).
type Rule struct {
	ID string // r01, r02, … in order of declaration
	On string // the server's name in the script

	Cut    string               // C0 to C8, C3w, burst, idle, accept or kill
	Manner string               // fin, rst, hold, status or late, of those that Detail.Check allows
	Detail                      // what the manner says beside its name
	At     history.ExchangeRole // the exchange of an attempt that is cut; empty for a fault of connections
	During Window               // when its marks are armed, or a toxic acts

	// Share is of the exchanges, or of a burst's connections, in [0, 1]. Of a ramp it
	// is the most that the share reaches.
	Share    float64
	Attempts int    // only attempts up to this one are marked
	Tool     string // only calls of this tool; empty for all
	// First bounds the rule to the first so many operations of a rollout, sessions
	// opened included: steps s01 to sNN. Zero is no bound. A mark is a function of
	// ids alone, and so this counts all of a rollout's operations and not those of
	// one kind.
	First int

	BurstAt time.Duration // when a burst, a stall of accepts or a timed kill comes, since the arm began

	IdleAfter time.Duration // how long a connection is idle before CutIdle
	Jitter    time.Duration // each such time is longer or shorter by up to this much

	Op      string // t000017/s02
	Attempt int    // from 1

	Toxic      string // a name in toxiproxy's registry
	Stream     string // upstream or downstream
	Toxicity   float64
	Attributes map[string]any

	// Sweep divides every placement of a fault among the rollouts. A plan resolves
	// it to listed rules, each with the number of its case, from 1.
	Sweep *Sweep
	Case  int
}

// ofConnections reports whether the rule is about connections and marks no
// exchange.
func (r Rule) ofConnections() bool {
	return r.Cut == CutBurst || r.Cut == CutIdle || r.Cut == CutAccept || r.timedKill()
}

// timedKill reports whether the rule kills a server at a time, and not for an
// exchange.
func (r Rule) timedKill() bool { return r.Cut == CutKill && r.At == "" }

// Windowed reports whether the rule is a toxic that acts only while its window is open.
func (r Rule) Windowed() bool {
	_, ends := r.During.Ends()
	return r.Toxic != "" && ends
}

// NotSeeded reports whether a part of the rule is left to chance that no seed
// governs: toxiproxy draws toxicity and jitter from a source of its own.
func (r Rule) NotSeeded() bool {
	jitter, _ := r.Attributes["jitter"].(float64)
	return r.Toxic != "" && (r.Toxicity < 1 || jitter > 0)
}

// record is the rule as plan.ndjson holds it. The one time of a burst or a kill stands
// where a window has two.
func (r Rule) record(arm string) history.PlanRule {
	during := r.During.record()
	switch {
	case r.Cut == CutBurst, r.timedKill():
		during = []string{r.BurstAt.String()}
	case r.Cut == CutAccept:
		during = []string{r.BurstAt.String(), (r.BurstAt + r.For).String()}
	}
	var idle []string
	if r.Cut == CutIdle {
		idle = []string{(r.IdleAfter - r.Jitter).String(), (r.IdleAfter + r.Jitter).String()}
	}
	return history.PlanRule{
		Arm: arm, Rule: r.ID, On: r.On,
		Cut: r.Cut, Manner: r.Manner, Detail: r.Detail.record(), At: r.At,
		Share: r.Share, Ramp: r.During.shares(), Attempts: r.Attempts, Tool: r.Tool, First: r.First, During: during,
		Op: r.Op, Attempt: r.Attempt, Case: r.Case, Idle: idle,
		Toxic: r.Toxic, Stream: r.Stream, Toxicity: r.Toxicity, Attributes: r.Attributes,
		NotSeeded: r.NotSeeded(),
	}
}

// record is what a manner says beside its name as plan.ndjson holds it, or nothing.
func (d Detail) record() *history.PlanDetail {
	if d == (Detail{}) {
		return nil
	}
	out := &history.PlanDetail{
		Code: d.Code, RetryAfter: int(d.RetryAfter.Seconds()), Location: d.Location, Leg: d.Leg, Way: d.Way,
	}
	if d.For > 0 {
		out.For = d.For.String()
	}
	return out
}
