package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

var (
	sweepKeys = []string{"on", "ops", "at", "cuts", "manners", "attempts", "pairs"}

	sweepManners = []string{FIN, RST, Hold} // those that need nothing said beside
)

// maxOps bounds how many operations of a rollout a sweep may name.
const maxOps = 99

// parseSweep reads a plan that is one sweep.
func parseSweep(faults json.RawMessage, servers []string) ([]Rule, error) {
	outer := decoder{at: "storm.faults"}
	if err := json.Unmarshal(faults, &outer.raw); err != nil {
		return nil, fmt.Errorf("%w: storm.faults is no JSON: %w", ErrRule, err)
	}
	outer.keys("a plan that is no list", []string{"sweep"})
	d := decoder{at: "storm.faults.sweep", servers: servers, err: outer.err}
	outer.read("sweep", &d.raw, "an object such as {on: 'sim', ops: 4}")
	if d.err == nil {
		d.err = outer.err
	}
	if d.err != nil {
		return nil, d.err
	}
	d.keys("a sweep", sweepKeys)
	rule := d.sweepRule()
	if d.err != nil {
		return nil, d.err
	}
	return []Rule{rule}, nil
}

func (d *decoder) sweepRule() Rule {
	s := &Sweep{Cuts: []string{C1, C2, C3, C4, C5, C6, C7}, Manners: []string{FIN, RST}, Pairs: true}
	r := Rule{ID: "r01", On: d.server(), At: history.RoleCall, Sweep: s}
	d.word("at", (*string)(&r.At), roles, nil)
	s.Steps = d.steps()
	d.words("cuts", &s.Cuts, cuts, laterCuts)
	d.words("manners", &s.Manners, sweepManners, laterManners)
	s.Attempts = d.count("attempts", DefaultAttempts)
	d.read("pairs", &s.Pairs, "true or false")
	if d.err != nil {
		return r
	}
	if s.size() > maxPlacements {
		d.fail(ErrRule, "more than %d placements; name fewer ops, attempts, cuts or manners", maxPlacements)
		return r
	}
	switch cases, _ := s.Cases(0, r.At); {
	case len(cases) == 0:
		d.fail(ErrRule, "no placement can occur: %s", whyNot(r.At, s.placements()[0]))
	case len(cases) > MaxCases:
		d.fail(ErrRule, "%d cases; at most %d: name fewer ops, attempts, cuts or manners", len(cases), MaxCases)
	}
	return r
}

// steps reads ops: a list of steps, or how many calls a rollout makes after the
// one connection that it opens first.
func (d *decoder) steps() (steps []string) {
	const want = "a number of calls, or a list of steps such as ['s02', 's03']"
	n := 0
	switch {
	case !d.has("ops"):
		d.fail(ErrRule, "no ops: %s", want)
	case json.Unmarshal(d.raw["ops"], &n) == nil && n >= 1 && n <= maxOps:
		for i := range n {
			steps = append(steps, wire.StepID(i+2))
		}
	default:
		d.read("ops", &steps, want)
		if len(steps) == 0 || len(steps) > maxOps || slices.ContainsFunc(steps, isNoStep) || hasTwice(steps) {
			d.fail(ErrRule, "ops %s is not %s, each once and at most %d", d.raw["ops"], want, maxOps)
		}
	}
	return steps
}

// isNoStep reports whether a text is not the step of a script's own call.
func isNoStep(step string) bool { return wire.StepID(stepNumber(step)) != step || stepNumber(step) < 1 }

// words reads a list of words, each of which must be known and may come once.
func (d *decoder) words(key string, into *[]string, known, later []string) {
	if !d.has(key) {
		return
	}
	*into = nil
	d.read(key, into, "a list of "+strings.Join(known, ", "))
	if d.err == nil && (len(*into) == 0 || hasTwice(*into)) {
		d.fail(ErrRule, "%s %s is not a list of words, each once", key, d.raw[key])
	}
	for _, word := range *into {
		d.known(key, word, known, later)
	}
}

func hasTwice(words []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(words)))) < len(words)
}
