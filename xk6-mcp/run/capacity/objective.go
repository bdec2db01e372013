package capacity

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcpstorm/reports/compare"
	"mcpstorm/reports/stats"
)

// Objective is what must hold for a level to be carried: a rate below a bound, or a
// quantile of a latency.
type Objective struct {
	Text   string  // as it was written, without spaces that mean nothing
	Rate   string  // the name of a rate; empty for a latency
	Metric string  // mcp_op_duration, or a part of it by one tag
	Q      float64 // the quantile of a latency
	// Bound is a share for a rate and seconds for a latency. What is measured must be
	// below it.
	Bound float64
}

const grammar = `want 'failed<1%' or 'mcp_op_duration p99<2s'`

var objectiveForm = regexp.MustCompile(`^([^\s<]+)(?: ([^\s<]+))? ?< ?([^\s<]+)$`)

// ParseObjective reads an objective: the name of a rate as in mcpstorm compare and a
// share in per cent, or a latency, a quantile and a duration. Its errors wrap
// ErrObjective.
func ParseObjective(text string) (Objective, error) {
	m := objectiveForm.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if m == nil {
		return Objective{}, fmt.Errorf("%w %q: %s", ErrObjective, text, grammar)
	}
	o := Objective{}
	if _, err := compare.CheckQuantile(m[1], "p99"); m[2] == "" && err == nil {
		return o, fmt.Errorf("%w %q: a latency needs a quantile, such as '%s p99<2s'", ErrObjective, text, m[1])
	}
	if m[2] == "" {
		v, err := strconv.ParseFloat(strings.TrimSuffix(m[3], "%"), 64)
		if !strings.HasSuffix(m[3], "%") || err != nil || !(v > 0 && v <= 100) {
			return o, fmt.Errorf("%w %q: want a share above 0%% and up to 100%%, not %q", ErrObjective, text, m[3])
		}
		if err := compare.CheckRate(m[1]); err != nil {
			return o, fmt.Errorf("%w %q: %w", ErrObjective, text, err)
		}
		return Objective{Text: m[1] + "<" + m[3], Rate: m[1], Bound: v / 100}, nil
	}
	q, err := compare.CheckQuantile(m[1], m[2])
	if err != nil {
		return o, fmt.Errorf("%w %q: %w", ErrObjective, text, err)
	}
	d, err := time.ParseDuration(m[3])
	if err != nil || d <= 0 {
		return o, fmt.Errorf("%w %q: want a duration such as 2s, not %q", ErrObjective, text, m[3])
	}
	return Objective{Text: m[1] + " " + m[2] + "<" + m[3], Metric: m[1], Q: q, Bound: d.Seconds()}, nil
}

// rollouts is how many rollouts a level needs for the objective to hold where one of
// them fails, or for the quantile to have an upper bound: with fewer, nothing that is
// measured could show that it holds.
func (o Objective) rollouts() int {
	if o.Rate == "" {
		return stats.ValuesFor(o.Q)
	}
	n := 1
	for stats.ClopperPearson(1, n).High >= o.Bound && n < 1<<20 {
		n += max(n/64, 1)
	}
	return n
}

// Reading is one objective at one level.
type Reading struct {
	Objective string  `json:"objective"`
	Value     float64 `json:"value"` // a share, or seconds
	Low       float64 `json:"low"`
	// High is the upper end of the 95 % interval; nil where too little was measured to
	// have one. The objective holds when it is below the bound.
	High  *float64 `json:"high,omitempty"`
	Bound float64  `json:"bound"`
	Count int      `json:"count,omitempty"` // of a rate
	Of    int      `json:"of,omitempty"`
	Holds bool     `json:"holds"`
}

// read reads the objective off a measured arm.
func (o Objective) read(arm *compare.Arm) (Reading, error) {
	r := Reading{Objective: o.Text, Bound: o.Bound}
	if o.Rate != "" {
		rate, ok := arm.Rate(o.Rate)
		if !ok {
			return r, fmt.Errorf("%w %q: this script's rollouts do not measure %s", ErrObjective, o.Text, o.Rate)
		}
		r.Value, r.Low, r.High, r.Count, r.Of = rate.Rate, rate.Low, &rate.High, rate.Count, rate.Of
	} else {
		quantile, ok := arm.Quantile(o.Metric, o.Q)
		if !ok {
			return r, fmt.Errorf("%w %q: this script's rollouts do not measure %s", ErrObjective, o.Text, o.Metric)
		}
		r.Value, r.High = quantile.Value, quantile.High
		if quantile.Low != nil {
			r.Low = *quantile.Low
		}
	}
	r.Holds = r.upper() < o.Bound
	return r, nil
}

func (r Reading) upper() float64 {
	if r.High == nil {
		return math.Inf(1)
	}
	return *r.High
}
