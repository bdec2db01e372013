package compare

import (
	"fmt"
	"math"
	"slices"

	"mcpstorm/internal/seed"
	"mcpstorm/reports/stats"
)

// level is how often a whole comparison of two runs of the same thing may find a
// change: 5 %.
const level = 1 - stats.Confidence

// Evidence is what the tests say of one rate.
type Evidence string

// The evidence for a change.
const (
	None Evidence = "no evidence"
	Rose Evidence = "rose"
	Fell Evidence = "fell"
)

// neutral are rates that say how hard a client tries or how a server copes: a change of
// them is shown, and is neither better nor worse.
var neutral = []string{"amplification", "replays-absorbed"}

// Value is a rate on one side.
type Value struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// RateChange is one rate on both sides.
type RateChange struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Base Value  `json:"base"`
	Head Value  `json:"head"`
	// Difference is head − base, with its 95 % interval: that of this rate alone, as P is,
	// and not of the whole family.
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	// Method is the test, P its p-value, and Adjusted that for all tests of the
	// comparison. A rate that could show nothing, whatever the truth, is not of the
	// family, and has no adjusted value.
	Method   string   `json:"method"`
	P        float64  `json:"p"`
	Adjusted *float64 `json:"p_adjusted,omitempty"`
	Evidence Evidence `json:"evidence"`
	// Neutral is a rate whose change is neither better nor worse, and Budgeted one for
	// which a rule says how far it may rise.
	Neutral  bool `json:"neutral,omitempty"`
	Budgeted bool `json:"budgeted,omitempty"`
	// Needed is how many rollouts a run would settle whether the difference seen is
	// real, with a chance of 80 %; 0 where none was seen or it is settled. Detectable is
	// the rate that these runs would have told from the base's, with that chance.
	Needed     int     `json:"rollouts_needed,omitempty"`
	Detectable float64 `json:"detectable"`

	testable bool
	worth    float64 // independent trials that a rollout brings
	trials   int     // independent trials of the smaller side
}

// The tests.
const (
	byFisher  = "Fisher's exact test"
	byScore   = "score test"
	byPermute = "permutation of rollouts"
)

func rateChange(root uint64, arm string, base, head *Rate, baseRollouts, headRollouts int) RateChange {
	b, h := base.clusters(), head.clusters()
	c := RateChange{Name: base.Name, Unit: base.Unit, Neutral: slices.Contains(neutral, base.Name), Evidence: None}
	var one, other stats.Rate
	var least float64 // the p-value that these counts could give at best
	var span stats.Span
	bt, ht := stats.Total(b), stats.Total(h)
	if base.Unit == "rollouts" {
		one, other = stats.Wilson(bt.Count, bt.Of), stats.Wilson(ht.Count, ht.Of)
		span = stats.Difference(one, other)
		counts := stats.Counts{Base: bt.Count, BaseOf: bt.Of, Head: ht.Count, HeadOf: ht.Of}
		c.Method, c.P, least = byScore, counts.Test(), counts.Least()
		if counts.Small() {
			c.Method = byFisher
		}
		c.worth, c.trials = 1, min(bt.Of, ht.Of)
	} else {
		one, other = stats.ClusteredRate(b), stats.ClusteredRate(h)
		c.Method = byPermute
		c.P, span = stats.PermutedDifference(b, h, seed.Root(root).Stream("compare", "permute", arm, base.Name))
		least = stats.LeastPermuted(b, h)
		_, bw := stats.Worth(b)
		_, hw := stats.Worth(h)
		c.worth = (bw + hw) / float64(max(baseRollouts+headRollouts, 1))
		c.trials = int(min(bw, hw))
	}
	c.Base, c.Head = value(bt, one), value(ht, other)
	c.Difference, c.Low, c.High = other.Value-one.Value, span.Low, span.High
	c.testable = least <= level
	return c
}

func value(total stats.Cluster, r stats.Rate) Value {
	return Value{Count: total.Count, Of: total.Of, Rate: r.Value, Low: r.Low, High: r.High}
}

// test holds every rate that could show something against one level for all of them.
// Leaving out those that could not, whatever the truth, gives nothing away (Tarone,
// Biometrics 46, 1990).
func (r *Report) test() {
	var family []*RateChange
	var p []float64
	all := r.rates()
	for _, c := range all {
		if c.testable {
			family, p = append(family, c), append(p, c.P)
		}
	}
	r.Tests = len(family)
	for i, adjusted := range stats.Holm(p) {
		c := family[i]
		c.Adjusted = &adjusted
		switch {
		case adjusted > level:
		case c.Low > 0: // the score test can reject by a hair where Newcombe's interval still holds 0
			c.Evidence = Rose
		case c.High < 0:
			c.Evidence = Fell
		}
	}
	for _, c := range all {
		c.power(level / float64(max(len(family), 1)))
	}
}

func (r *Report) rates() (list []*RateChange) {
	for i := range r.Pairs {
		for j := range r.Pairs[i].Arms {
			for k := range r.Pairs[i].Arms[j].Rates {
				list = append(list, &r.Pairs[i].Arms[j].Rates[k])
			}
		}
	}
	return list
}

// power says what it would take to see the difference, and what these runs could see.
func (c *RateChange) power(level float64) {
	c.Detectable = stats.Detectable(c.Base.Rate, c.trials, level)
	if c.Evidence == None && c.Difference != 0 && c.worth > 0 {
		c.Needed = int(math.Ceil(float64(stats.TrialsNeeded(c.Base.Rate, c.Head.Rate, level)) / c.worth))
	}
}

// sentence says what changed: "failed rose from 0 of 512 to 10 of 512 rollouts".
func (c *RateChange) sentence(arm string) string {
	return fmt.Sprintf("%s: %s %s from %s to %s %s (%s, p %s)", arm, c.Name, c.Evidence, c.Base.text(), c.Head.text(), c.Unit, points(c.Difference, c.Low, c.High), probability(*c.Adjusted))
}
