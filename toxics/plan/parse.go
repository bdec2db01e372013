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
	"mcpstorm/internal/near"
	"mcpstorm/internal/wire"
)

// What a rule may say. What is known and not delivered by the fault layer yet is
// apart, so that such a rule is refused by name and never ignored.
var (
	cuts    = []string{C0, C1, C2, C3, C3w, C4, C5, C6, C7, C8}
	manners = []string{FIN, RST, Hold, Status, Late}
	roles   = []string{"initialize", "initialized", "call", "list", "read", "get", "delete", "discover", "settle", "lookup"}

	laterCuts    []string
	laterManners []string

	mannerKeys = []string{"manner", "for", "leg", "way", "status"}
	shareKeys  = slices.Concat([]string{"on", "cut", "at", "tool", "first", "share", "attempts", "during"}, mannerKeys)
	listKeys   = slices.Concat([]string{"on", "cut", "at", "op", "attempt", "during"}, mannerKeys)
	burstKeys  = []string{"on", "burst", "manner", "for"}
	burstOf    = []string{"at", "what"} // within burst
	toxicKeys  = []string{"on", "toxic", "stream", "toxicity", "attributes", "during"}
)

// Parse reads storm.faults: an array of rules, {sweep: {…}}, or nothing. The
// servers are the names that a rule's "on" may have. It reports every bad rule;
// the error wraps ErrRule or ErrUnsupported.
func Parse(faults json.RawMessage, servers []string) ([]Rule, error) {
	known := slices.Sorted(slices.Values(servers))
	if strings.HasPrefix(strings.TrimSpace(string(faults)), "{") {
		return parseSweep(faults, known)
	}
	var raws []map[string]json.RawMessage
	if len(faults) > 0 {
		if err := json.Unmarshal(faults, &raws); err != nil {
			return nil, fmt.Errorf("%w: storm.faults is not a list of objects: %w", ErrRule, err)
		}
	}
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

// rule reads whichever of the forms of a list this is.
func (d *decoder) rule() Rule {
	switch {
	case d.has("toxic"):
		d.keys("a toxic rule", toxicKeys)
		return d.toxicRule()
	case d.has("burst"):
		d.keys("a burst rule", burstKeys)
		return d.burstRule()
	case d.has("idle"):
		d.keys("an idle rule", idleKeys)
		return d.idleRule()
	case d.has("accept"):
		d.keys("an accept rule", acceptKeys)
		return d.acceptRule()
	case d.has("kill"):
		return d.killRule()
	case d.has("op"):
		d.keys("a listed fault", listKeys)
		return d.listRule()
	case d.has("sweep"):
		d.fail(ErrRule, "a sweep is a plan of its own and no rule of a list: faults: {sweep: {on: …, ops: …}}")
		return Rule{}
	}
	d.keys("a share rule", shareKeys)
	return d.shareRule()
}

func (d *decoder) shareRule() Rule {
	return d.shared(d.cutRule())
}

// shared reads which exchanges a share rule marks.
func (d *decoder) shared(r Rule) Rule {
	d.shareOf(&r)
	r.Attempts = d.count("attempts", DefaultAttempts)
	r.First = d.count("first", 0)
	d.read("tool", &r.Tool, "the name of a tool")
	if d.has("tool") && (r.Tool == "" || r.At != history.RoleCall) {
		d.fail(ErrRule, "tool %s at %s: only a call names a tool", d.raw["tool"], r.At)
	}
	return r
}

func (d *decoder) listRule() Rule {
	return d.listed(d.cutRule())
}

// listed reads which exchange a listed fault marks.
func (d *decoder) listed(r Rule) Rule {
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
	if !d.has("cut") && !d.has("status") {
		d.fail(ErrRule, "no cut, status, burst, idle, accept, kill or toxic; known cuts: %s", strings.Join(cuts, ", "))
	}
	d.word("cut", &r.Cut, cuts, laterCuts)
	d.manner(&r)
	if r.Cut == C8 {
		r.At = history.RoleDelete
	}
	d.word("at", (*string)(&r.At), roles, nil)
	d.fits(&r)
	return r
}

// count reads a whole number of 1 or more.
func (d *decoder) count(key string, otherwise int) int {
	n := otherwise
	d.read(key, &n, "a whole number of 1 or more")
	if d.has(key) && n < 1 {
		d.fail(ErrRule, "%s %d is not a whole number of 1 or more", key, n)
	}
	return n
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
		d.fail(ErrRule, "unknown server %q in on; known: %s%s", on, strings.Join(d.servers, ", "), near.Suggestion(on, d.servers))
	}
	return on
}

func (d *decoder) has(key string) bool { return d.raw[key] != nil }

// keys refuses every key that the form does not have.
func (d *decoder) keys(form string, known []string) {
	for _, key := range slices.Sorted(maps.Keys(d.raw)) {
		if !slices.Contains(known, key) {
			d.fail(ErrRule, "unknown key %q (value %s) in %s; known: %s%s", key, d.raw[key], form, strings.Join(known, ", "), near.Suggestion(key, known))
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
	if d.err == nil && d.has(key) {
		d.known(key, *into, known, later)
	}
}

// known refuses a word that is not in the list, or is one of those to come.
func (d *decoder) known(key, word string, known, later []string) {
	switch {
	case slices.Contains(known, word) && slices.Contains(later, word):
		now := slices.DeleteFunc(slices.Clone(known), func(w string) bool { return slices.Contains(later, w) })
		d.fail(ErrUnsupported, "%s %q; known: %s", key, word, strings.Join(now, ", "))
	case !slices.Contains(known, word):
		d.fail(ErrRule, "unknown %s %q; known: %s%s", key, word, strings.Join(known, ", "), near.Suggestion(word, known))
	}
}

// unit refuses a number outside [0, 1].
func (d *decoder) unit(key string, v float64) {
	if v < 0 || v > 1 {
		d.fail(ErrRule, "%s %v is outside [0, 1]", key, v)
	}
}

// some refuses a share of nothing: a rule that can never act would only look like one.
func (d *decoder) some(key string, v float64) {
	d.unit(key, v)
	if v == 0 {
		d.fail(ErrRule, "%s 0 can never act: leave the rule out; an arm without faults has faults: []", key)
	}
}
