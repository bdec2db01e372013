package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// What a rule may say. The lists of what is documented and not there yet are
// apart, so that such a rule is refused by name and never ignored.
var (
	cuts    = []string{C1, C2, C3, C4, C5, C6}
	manners = []string{FIN, RST}
	roles   = []string{"initialize", "initialized", "call", "list", "read", "get", "delete", "discover", "settle", "lookup"}

	laterKeys    = []string{"sweep"}
	laterCuts    = []string{"C0", "C3w", "C7", "C8"}
	laterManners = []string{"hold", "status"}

	shareKeys = []string{"on", "cut", "manner", "at", "share", "attempts", "during"}
	listKeys  = []string{"on", "cut", "manner", "at", "op", "attempt", "during"}
	burstKeys = []string{"on", "burst", "manner"}
	burstOf   = []string{"at", "what"} // within burst
	toxicKeys = []string{"on", "toxic", "stream", "toxicity", "attributes"}

	laterToxicKeys = []string{"during"}
)

// Parse reads storm.faults: an array of rules, or nothing. The servers are the
// names that a rule's "on" may have. It reports every bad rule; the error wraps
// ErrRule or ErrUnsupported.
func Parse(faults json.RawMessage, servers []string) ([]Rule, error) {
	var raws []map[string]json.RawMessage
	if len(faults) > 0 {
		if err := json.Unmarshal(faults, &raws); err != nil {
			return nil, fmt.Errorf("%w: storm.faults is not a list of objects: %w", ErrRule, err)
		}
	}
	known := slices.Sorted(slices.Values(servers))
	var rules []Rule
	var bad []error
	for i, raw := range raws {
		d := decoder{at: fmt.Sprintf("storm.faults[%d]", i), raw: raw, servers: known}
		rule := d.rule()
		rule.ID = fmt.Sprintf("r%02d", i+1)
		rules, bad = append(rules, rule), append(bad, d.err)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	return rules, nil
}

// decoder reads one rule. It keeps the first error and reads on.
type decoder struct {
	at      string
	raw     map[string]json.RawMessage
	servers []string
	err     error
}

// fail keeps the first error.
func (d *decoder) fail(kind error, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s: %s", kind, d.at, fmt.Sprintf(format, args...))
	}
}

// rule reads whichever of the four forms this is.
func (d *decoder) rule() Rule {
	switch {
	case d.has("toxic"):
		d.keys("a toxic rule", toxicKeys, laterToxicKeys...)
		return d.toxicRule()
	case d.has("burst"):
		d.keys("a burst rule", burstKeys)
		return d.burstRule()
	case d.has("op"):
		d.keys("a listed fault", listKeys)
		return d.listRule()
	}
	d.keys("a share rule", shareKeys)
	return d.shareRule()
}

func (d *decoder) shareRule() Rule {
	r := d.cutRule()
	r.Share, r.Attempts = 1, DefaultAttempts
	d.read("share", &r.Share, "a number in [0, 1]")
	d.read("attempts", &r.Attempts, "a whole number of 1 or more")
	d.unit("share", r.Share)
	if r.Attempts < 1 {
		d.fail(ErrRule, "attempts %d is not a whole number of 1 or more", r.Attempts)
	}
	return r
}

func (d *decoder) listRule() Rule {
	r := d.cutRule()
	r.Attempt = 1
	d.read("op", &r.Op, "an operation such as t000017/s02")
	d.read("attempt", &r.Attempt, "a whole number of 1 or more")
	task, step, _ := strings.Cut(r.Op, "/")
	ref := wire.OpRef{Task: task, Restart: 1, Step: step, Attempt: r.Attempt}
	if _, err := wire.ParseOpRef(ref.String()); err != nil {
		d.fail(ErrRule, "op %q, attempt %d is not an attempt at an operation such as t000017/s02", r.Op, r.Attempt)
	}
	return r
}

// cutRule reads what share rules and listed faults have in common.
func (d *decoder) cutRule() Rule {
	r := Rule{On: d.server(), Manner: RST, At: history.RoleCall, During: d.window()}
	if !d.has("cut") {
		d.fail(ErrRule, "no cut, burst or toxic; known cuts: %s", strings.Join(cuts, ", "))
	}
	d.word("cut", &r.Cut, cuts, laterCuts)
	d.word("manner", &r.Manner, manners, laterManners)
	d.word("at", (*string)(&r.At), roles, nil)
	return r
}

// server reads the name of the server that the rule acts on.
func (d *decoder) server() string {
	var on string
	if !d.has("on") {
		d.fail(ErrRule, "no on; known servers: %s", strings.Join(d.servers, ", "))
		return ""
	}
	d.read("on", &on, "a server's name")
	if !slices.Contains(d.servers, on) {
		d.fail(ErrRule, "unknown server %q in on; known: %s", on, strings.Join(d.servers, ", "))
	}
	return on
}

func (d *decoder) has(key string) bool { return d.raw[key] != nil }

// keys refuses every key that the form does not have.
func (d *decoder) keys(form string, known []string, later ...string) {
	for _, key := range slices.Sorted(maps.Keys(d.raw)) {
		switch {
		case slices.Contains(known, key):
		case slices.Contains(laterKeys, key), slices.Contains(later, key):
			d.fail(ErrUnsupported, "key %q", key)
		default:
			d.fail(ErrRule, "unknown key %q (value %s) in %s; known: %s", key, d.raw[key], form, strings.Join(known, ", "))
		}
	}
}

// read decodes one key, if it is there. A null is no value.
func (d *decoder) read(key string, into any, want string) {
	raw, ok := d.raw[key]
	if !ok {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil || bytes.Equal(raw, []byte("null")) {
		d.fail(ErrRule, "%s %s is not %s", key, raw, want)
	}
}

// word decodes one key that takes one of a list of words.
func (d *decoder) word(key string, into *string, known, later []string) {
	d.read(key, into, "one of "+strings.Join(known, ", "))
	switch {
	case d.err != nil || slices.Contains(known, *into):
	case slices.Contains(later, *into):
		d.fail(ErrUnsupported, "%s %q; known: %s", key, *into, strings.Join(known, ", "))
	default:
		d.fail(ErrRule, "unknown %s %q; known: %s", key, *into, strings.Join(known, ", "))
	}
}

// unit refuses a number outside [0, 1].
func (d *decoder) unit(key string, v float64) {
	if v < 0 || v > 1 {
		d.fail(ErrRule, "%s %v is outside [0, 1]", key, v)
	}
}
