package compare

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpstorm/internal/near"
	"mcpstorm/reports/check"
	"mcpstorm/reports/stats"
)

// Rule is a budget: how far a rate may rise, or a quantile of a latency, from base to
// head. It takes the place of "not at all" for that rate.
type Rule struct {
	Text string // as it was written
	// Rate is the name of a rate; empty for a latency, which Metric and Q name.
	Rate   string
	Metric string
	Q      float64
	// Rise is the budget: of a rate as a difference, of a latency in seconds or, where
	// Relative is true, as a share of the base's.
	Rise     float64
	Relative bool
}

// Outcome is what became of a rule.
type Outcome string

// The outcomes. A rule is broken when the whole interval is beyond the budget, and
// holds when all of it is within.
const (
	Broken     Outcome = "broken"
	Holds      Outcome = "holds"
	Undecided  Outcome = "undecided"
	Unmeasured Outcome = "no data"
)

// RuleResult is what became of a rule in one arm.
type RuleResult struct {
	Rule    string  `json:"rule"`
	Arm     string  `json:"arm,omitempty"`
	Outcome Outcome `json:"outcome"`
	Text    string  `json:"text"`
}

const grammar = `want 'RATE rate +0.5pp', 'mcp_op_duration p99 +20%' or 'mcp_op_duration{kind:turn} p95 +50ms'`

var (
	ruleForm = regexp.MustCompile(`^(\S+) (\S+) \+(\S+)$`)
	partForm = regexp.MustCompile(`^([a-z_0-9]+)(?:\{(kind|server|tool):([^{}:]+)\})?$`)
)

// ParseRule reads a budget: the name of a rate, the word rate, and a rise in
// percentage points; or mcp_op_duration, or a part of it by one tag, a quantile, and a
// rise in per cent or as a duration. Its errors wrap ErrRule.
func ParseRule(text string) (Rule, error) {
	m := ruleForm.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if m == nil {
		return Rule{}, fmt.Errorf("%w %q: %s", ErrRule, text, grammar)
	}
	r := Rule{Text: m[0]}
	if m[2] == "rate" {
		return r, r.rate(m[1], m[3])
	}
	return r, r.latency(m[1], m[2], m[3])
}

func (r *Rule) rate(name, rise string) error {
	if err := CheckRate(name); err != nil {
		return fmt.Errorf("%w %q: %w", ErrRule, r.Text, err)
	}
	points, inPoints := strings.CutSuffix(rise, "pp")
	v, err := strconv.ParseFloat(points, 64)
	if !inPoints || err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("%w %q: a rate rises by percentage points, such as +0.5pp, and not by %q", ErrRule, r.Text, "+"+rise)
	}
	r.Rate, r.Rise = name, v/100
	return nil
}

func (r *Rule) latency(metric, quantile, rise string) error {
	q, err := CheckQuantile(metric, quantile)
	if err != nil {
		return fmt.Errorf("%w %q: %w", ErrRule, r.Text, err)
	}
	r.Q = q
	r.Metric = metric
	if share, relative := strings.CutSuffix(rise, "%"); relative {
		v, err := strconv.ParseFloat(share, 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%w %q: want a rise such as +20%%, not %q", ErrRule, r.Text, "+"+rise)
		}
		r.Rise, r.Relative = v/100, true
		return nil
	}
	d, err := time.ParseDuration(rise)
	if err != nil || d < 0 {
		return fmt.Errorf("%w %q: a latency rises by +20%% or by a duration such as +50ms, and not by %q", ErrRule, r.Text, "+"+rise)
	}
	r.Rise = d.Seconds()
	return nil
}

// CheckRate refuses the name of a rate that no measurement has. Its error wraps
// ErrUnknown.
func CheckRate(name string) error {
	if known := rateNames(); !slices.Contains(known, name) {
		return fmt.Errorf("%w: no rate is called %q%s (known: %s)", ErrUnknown, name, near.Suggestion(name, known), strings.Join(known, ", "))
	}
	return nil
}

// CheckQuantile reads the name of a quantile, such as p99, of mcp_op_duration or of a
// part of it by one tag, and refuses what no measurement has. Its error wraps
// ErrUnknown.
func CheckQuantile(metric, quantile string) (float64, error) {
	m := partForm.FindStringSubmatch(metric)
	if m == nil || m[1] != opDuration {
		hint := near.Suggestion(metric, []string{opDuration})
		return 0, fmt.Errorf("%w: no latency is called %q%s (known: %s, and its parts by kind, server or tool)", ErrUnknown, metric, hint, opDuration)
	}
	var known []string
	for _, q := range quantilesKept {
		if quantileName(q) == quantile {
			return q, nil
		}
		known = append(known, quantileName(q))
	}
	return 0, fmt.Errorf("%w: no quantile is called %q (known: %s)", ErrUnknown, quantile, strings.Join(known, ", "))
}

// quantileName is p50, p90, p95, p99.
func quantileName(q float64) string { return "p" + strconv.FormatFloat(100*q, 'g', 4, 64) }

// rateNames are the rates that a rule can name.
func rateNames() []string {
	names := []string{"failed"}
	for _, info := range check.Known() {
		if info.ID != "coverage" {
			names = append(names, info.ID)
		}
	}
	return append(names, others...)
}

// apply holds the rules against every arm that has what they name.
func (p *Pair) apply(rules []Rule) {
	for _, r := range rules {
		found := false
		for i := range p.Arms {
			if result, ok := r.judge(&p.Arms[i]); ok {
				found = true
				p.Rules = append(p.Rules, result)
			}
		}
		if !found {
			p.Rules = append(p.Rules, RuleResult{Rule: r.Text, Outcome: Unmeasured, Text: r.Text + ": not measured in both runs"})
		}
	}
}

// judge holds the rule against one arm, if it has what the rule names.
func (r Rule) judge(arm *ArmChange) (RuleResult, bool) {
	for i := range arm.Rates {
		if c := &arm.Rates[i]; r.Rate == c.Name {
			c.Budgeted = true
			rose := fmt.Sprintf("%s, from %s to %s %s", points(c.Difference, c.Low, c.High), c.Base.text(), c.Head.text(), c.Unit)
			result := r.result(arm.Arm, stats.Span{Low: c.Low, High: c.High}, r.Rise, rose)
			if result.Outcome == Undecided {
				result.Text += arm.toDecide(c, r.Rise)
			}
			return result, true
		}
	}
	for i := range arm.Latencies {
		c := &arm.Latencies[i]
		if r.Rate != "" || r.Metric != c.Metric || r.Q != c.Base.Q {
			continue
		}
		from := fmt.Sprintf("from %s to %s", seconds(c.Base.Value), seconds(c.Head.Value))
		if r.Relative {
			if c.Ratio == nil {
				return RuleResult{}, false
			}
			return r.result(arm.Arm, c.span(), 1+r.Rise, c.percents()+", "+from), true
		}
		d, span := c.difference()
		return r.result(arm.Arm, span, r.Rise, fmt.Sprintf("%+.3g s (%s to %s), ", d, end(span.Low), end(span.High))+from), true
	}
	if slices.Contains(arm.alone, cmp.Or(r.Rate, r.Metric)) {
		text := fmt.Sprintf("%s: %s: not measured in both runs", arm.Arm, r.Text)
		return RuleResult{Rule: r.Text, Arm: arm.Arm, Outcome: Unmeasured, Text: text}, true
	}
	return RuleResult{}, false
}

// toDecide says how large runs would decide a budget, were their difference the one
// that was seen. An interval shrinks with the root of what was counted, and where
// nothing was seen on either side with all of it.
func (a *ArmChange) toDecide(c *RateChange, budget float64) string {
	room, reach, power := budget-c.Difference, c.High-c.Difference, 2.0
	if room < 0 {
		room, reach = -room, c.Difference-c.Low
	}
	if c.Base.Count == 0 && c.Head.Count == 0 {
		power = 1
	}
	needed := math.Ceil(float64(a.rollouts) * math.Pow(reach/room, power))
	if a.rollouts == 0 || !(needed < 1e9) {
		return "; no number of rollouts would decide it, were that all of the difference"
	}
	return fmt.Sprintf("; about %s a run would decide it", count(int(needed), "rollout"))
}

func (r Rule) result(arm string, span stats.Span, budget float64, seen string) RuleResult {
	result := RuleResult{Rule: r.Text, Arm: arm, Outcome: Undecided}
	switch {
	case span.Low > budget:
		result.Outcome = Broken
	case span.High <= budget:
		result.Outcome = Holds
	}
	result.Text = fmt.Sprintf("%s: %s %s: %s", arm, r.Text, result.Outcome, seen)
	return result
}
