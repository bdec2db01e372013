package client

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"mcpstorm/history"
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
}

// OpDeadline is the longest that one operation can take under the policy: every
// attempt with its closing, and every pause between them.
func (p Policy) OpDeadline() time.Duration {
	total := time.Duration(p.Attempts) * (p.Deadline + p.Grace)
	for n := 1; n < p.Attempts; n++ {
		total += p.longest(n) * 3 / 2
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
	if n >= p.Attempts || r.told == history.ToldOK || r.told == history.ToldToolError {
		return false
	}
	switch p.Retry {
	case RetrySetupOnly:
		return !r.sent && transient(r.cause)
	case RetrySafe:
		harmless := r.told == history.ToldNotExecuted || class.ReplaySafe()
		return harmless && transient(r.cause)
	case RetryAlways:
		return true
	}
	return false
}

// presets reproduce what people really ship. Deadlines are scaled down from the
// originals' 600 s.
var presets = map[string]Policy{
	"verifiers-0.2.0": {Session: Persistent, Retry: RetryNone, Attempts: 1, Refusals: RefusalsListed},
	"at-most-once":    {Session: PerCall, Retry: RetrySetupOnly, Attempts: 6, Refusals: RefusalsListed},
	"at-least-once":   {Session: PerCall, Retry: RetryAlways, Attempts: 6, Refusals: RefusalsListed},
	"settle":          {Session: PerCall, Retry: RetrySafe, Attempts: 6, Refusals: RefusalsConnection},
}

// Preset returns the policy of that name. Its error wraps ErrUnknownPolicy.
func Preset(name string) (Policy, error) {
	p, ok := presets[name]
	if !ok {
		return Policy{}, fmt.Errorf("%w %q; known: %s", ErrUnknownPolicy, name, strings.Join(Presets(), ", "))
	}
	p.Name = name
	p.Deadline, p.Grace = 10*time.Second, time.Second
	if p.Attempts > 1 {
		p.BackoffBase, p.BackoffMax = 200*time.Millisecond, 2*time.Second
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
