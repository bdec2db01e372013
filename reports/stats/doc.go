// Package stats is the arithmetic behind every number that a report shows with
// an interval: binomial rates, rates over operations that come in rollouts, and
// quantiles. All functions are pure, take no chance and no time, and may be
// called from any goroutine.
package stats

// Confidence is the confidence level of every interval in this package.
const Confidence = 0.95

// Interval is a closed range of rates, both ends in [0, 1].
type Interval struct {
	Low, High float64
}
