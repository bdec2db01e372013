package client

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/near"
	"mcpstorm/internal/wire"
)

// ErrUnknownPolicy says that no preset has the name; it is wrapped with the
// names that exist.
var ErrUnknownPolicy = errors.New("client: unknown policy")

// Session says how long a client keeps an MCP session.
type Session string

// The session modes.
const (
	PerCall    Session = "per-call"   // a fresh session for every attempt
	Persistent Session = "persistent" // one session for the whole connection
)

// Retry says what a client sends again by itself.
type Retry string

// The retry modes.
const (
	RetryNone      Retry = "none"
	RetrySetupOnly Retry = "setup-only" // only while the call itself was never sent
	RetrySafe      Retry = "safe"       // what was refused, and unknowns whose repeat is harmless
	RetryAlways    Retry = "always"     // anything that did not end in an answer
	RetryBroken    Retry = "broken"     // a connection that broke, and no status of a front end
)

// Refusals says which answers a client takes as proof that nothing ran.
type Refusals string

// The two readings of a refusal.
const (
	// RefusalsListed believes the closed list of definite refusals: dial errors,
	// no byte written, and the statuses and error codes that mean "not accepted".
	RefusalsListed Refusals = "listed"
	// RefusalsConnection believes only a dial error and no byte written, because
	// a front end may answer after it has forwarded the request.
	RefusalsConnection Refusals = "connection"
)

// OnUnknown says what a client does about an operation that may or may not have
// run, and whose repeat would do harm.
type OnUnknown string

// What can be done about an unknown.
const (
	// ReportUnknown tells the caller, who alone can know what to do.
	ReportUnknown OnUnknown = "report"
	// SettleUnknown asks the server to settle the operation: either its result
	// comes back, or it is voided for good, and only then is it sent again.
	SettleUnknown OnUnknown = "settle"
	// LookUpUnknown asks the server whether the operation has run, and sends it
	// again if not. That is a mistake: the original may still be under way.
	LookUpUnknown OnUnknown = "lookup"
)

// Mistake is a way in which a client deceives its caller. Clients with one are
// here to prove that the harness catches them.
type Mistake string

// The mistakes.
const (
	// AlwaysUnknown tells every caller unknown, whatever came back.
	AlwaysUnknown Mistake = "always-unknown"
	// TeardownMasks lets a failed closing of the session hide the result that had
	// already come (verifiers pull request 2062, review).
	TeardownMasks Mistake = "teardown-masks"
)

// Policy is what a client does when something goes wrong. It is data: a value
// that may be copied and shared.
type Policy struct {
	Name    string
	Session Session
	Retry   Retry
	// Attempts is the most attempts at one operation; 1 means no second one.
	Attempts int
	// BackoffBase is the pause before the second attempt; each later pause is
	// twice as long, up to BackoffMax, and every pause is scattered by half.
	BackoffBase, BackoffMax time.Duration
	// Deadline bounds one attempt, session set-up included.
	Deadline time.Duration
	// Grace bounds the closing of a session after a call.
	Grace    time.Duration
	Refusals Refusals
	Unknown  OnUnknown
	// Narrow retries only what verifiers pull request 2134 calls transient: a
	// broken transport, and the statuses 408, 429 and 500 or more.
	Narrow  bool
	Mistake Mistake
	Flaws   Flaws
	// Diagnose says what is written down of a failed operation.
	Diagnose Diagnose
	// Resume asks for the rest of a broken stream that named its events, and
	// Cancels tells the server of a deadline with notifications/cancelled. Both are
	// of the 2025-11-25 era and mean nothing in the stateless one.
	Resume, Cancels bool
	// Listen keeps a stream open in every session of that era, for what the server
	// says unasked.
	Listen bool
	// Reissue sends a call whose answer broke once more as a new request, whatever a
	// repeat does, in the stateless era alone: its changelog says that clients must,
	// and no normative page does.
	Reissue bool
	// SDK is true for the client of the official Go SDK in place of ours.
	SDK bool
}

// OpDeadline is the longest that one operation of a class can take under the
// policy: every attempt with its cancel and its closing, and every pause between
// them; and as long again for each attempt whose fate is asked for.
func (p Policy) OpDeadline(class history.ReplayClass) time.Duration {
	one := p.Deadline + p.Grace
	if p.Cancels {
		one += p.Grace
	}
	total := time.Duration(p.Attempts) * one
	for n := 1; n < p.Attempts; n++ {
		total += p.longest(n) * 3 / 2
	}
	if p.asks(class, history.ToldUnknown) {
		total *= time.Duration(p.Attempts + 1)
	}
	return total
}

// Backoff is the pause after the n-th attempt, from 1, scattered between a half
// and one and a half of its nominal length.
func (p Policy) Backoff(n int, r *rand.Rand) time.Duration {
	d := p.longest(n)
	if d <= 0 {
		return 0
	}
	return d/2 + time.Duration(r.Int64N(int64(d)+1))
}

func (p Policy) longest(n int) time.Duration {
	d := p.BackoffBase
	for range n - 1 {
		if d *= 2; d >= p.BackoffMax {
			return p.BackoffMax
		}
	}
	return min(d, p.BackoffMax)
}

// again reports whether the policy sends another attempt after this one.
func (p Policy) again(n int, class history.ReplayClass, r attemptResult) bool {
	if n >= p.Attempts || r.final || r.told == history.ToldOK || r.told == history.ToldToolError {
		return false
	}
	if p.Flaws.CancelsOwner && r.cause != nil && r.cause.Class == classCancelled {
		return false
	}
	switch p.Retry {
	case RetryBroken:
		return broken(r.cause)
	case RetrySetupOnly:
		return !r.sent && p.transient(r.cause)
	case RetrySafe:
		harmless := r.told == history.ToldNotExecuted || class.ReplaySafe()
		return harmless && p.transient(r.cause)
	case RetryAlways:
		return true
	}
	return false
}

// reissues reports whether the policy sends a call again because its answer broke
// in the era whose changelog asks for that.
func (p Policy) reissues(n int, era string, r attemptResult) bool {
	if !p.Reissue || era != wire.EraStateless || n >= p.Attempts || !r.sent || r.cause == nil {
		return false
	}
	switch r.cause.Class {
	case classReset, classEOF, classTruncated:
		return true
	}
	return false
}

// WithReissue is the policy with Reissue, and with room for one more attempt where
// it had none. The SDK's client has a mind of its own and stays as it is.
func (p Policy) WithReissue() Policy {
	if p.SDK {
		return p
	}
	p.Reissue = true
	if p.Attempts < 2 {
		p.Attempts, p.BackoffBase, p.BackoffMax = 2, firstPause, longestPause
	}
	return p
}

// asks reports whether the policy asks for the fate of an operation of this
// class that was told so.
func (p Policy) asks(class history.ReplayClass, told history.Told) bool {
	return told == history.ToldUnknown && !class.ReplaySafe() && p.Unknown != ReportUnknown
}

// presets reproduce what people really ship, and below them what nobody should.
// Deadlines are scaled down from the originals' 600 s.
var presets = map[string]Policy{
	"verifiers-0.2.0": {Session: Persistent, Retry: RetryNone, Attempts: 1},
	"at-most-once":    {Session: PerCall, Retry: RetrySetupOnly, Attempts: 6},
	"at-least-once":   {Session: PerCall, Retry: RetryAlways, Attempts: 6},
	"verifiers-2134":  {Session: PerCall, Retry: RetrySetupOnly, Attempts: 6, Narrow: true, Diagnose: Diagnose2134},
	"settle":          {Session: PerCall, Retry: RetrySafe, Attempts: 6, Refusals: RefusalsConnection, Unknown: SettleUnknown, Diagnose: DiagnoseWhole},
	"resume":          {Session: Persistent, Retry: RetrySafe, Attempts: 6, Refusals: RefusalsConnection, Unknown: SettleUnknown, Resume: true, Cancels: true, Listen: true},
	"go-sdk":          {Session: Persistent, Retry: RetryNone, Attempts: 1, SDK: true},

	// The step commits of verifiers pull request 2062, and what was released of it, as
	// they were measured.
	"verifiers-10c58131c": Policy{Session: PerCall, Retry: RetryBroken, Attempts: 6, Flaws: Flaws{ListsOnce: true, Reparses: true}}.OnPythonSDK(),
	"verifiers-dc1a15bc6": Policy{Session: PerCall, Retry: RetryAlways, Attempts: 6, Flaws: Flaws{ListsOnce: true, Reparses: true}}.OnPythonSDK(),
	"verifiers-4ad49c3d3": Policy{Session: PerCall, Retry: RetryAlways, Attempts: 6, Flaws: Flaws{ListsOnce: true}}.OnPythonSDK(),
	"verifiers-fea04957b": Policy{Session: PerCall, Retry: RetrySetupOnly, Attempts: 6, Flaws: Flaws{LateInitialized: true}}.OnPythonSDK(),
	"verifiers-0.2.1":     Policy{Session: PerCall, Retry: RetryAlways, Attempts: 6, Flaws: Flaws{CancelsOwner: true}}.OnPythonSDK(),

	"ignores-cancel": {Session: PerCall, Retry: RetryAlways, Attempts: 6, Flaws: Flaws{RetriesCancelled: true}},
	"ignores-veto":   {Session: PerCall, Retry: RetrySetupOnly, Attempts: 6, Flaws: Flaws{IgnoresVeto: true}},
	"lookup":         {Session: PerCall, Retry: RetrySafe, Attempts: 6, Unknown: LookUpUnknown},
	"always-unknown": {Session: PerCall, Retry: RetryNone, Attempts: 1, Mistake: AlwaysUnknown},
	"never-retries":  {Session: PerCall, Retry: RetryNone, Attempts: 1},
	"teardown-masks": {Session: PerCall, Retry: RetryNone, Attempts: 1, Mistake: TeardownMasks},
}

// The pauses of every preset that makes more than one attempt.
const firstPause, longestPause = 200 * time.Millisecond, 2 * time.Second

// Preset returns the policy of that name. Its error wraps ErrUnknownPolicy.
func Preset(name string) (Policy, error) {
	p, ok := presets[name]
	if !ok {
		return Policy{}, fmt.Errorf("%w %q; known: %s%s", ErrUnknownPolicy, name, strings.Join(Presets(), ", "), near.Suggestion(name, Presets()))
	}
	p.Name = name
	if p.Refusals == "" {
		p.Refusals = RefusalsListed
	}
	if p.Unknown == "" {
		p.Unknown = ReportUnknown
	}
	p.Deadline, p.Grace = 10*time.Second, time.Second
	if p.Attempts > 1 {
		p.BackoffBase, p.BackoffMax = firstPause, longestPause
	}
	return p, nil
}

// Presets lists the names of every preset, sorted.
func Presets() []string {
	names := make([]string, 0, len(presets))
	for name := range presets {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
