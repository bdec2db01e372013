package compare

import (
	"math"

	"mcpstorm/reports/stats"
)

// LatencyChange is one quantile of one series on both sides. It is shown and judged by
// rules alone: what a shared host does to one run and not to the other is in no run's
// own interval.
type LatencyChange struct {
	Metric string   `json:"metric"`
	Base   Quantile `json:"base"`
	Head   Quantile `json:"head"`
	// Ratio is head ÷ base, with its 95 % interval; an end that the values are too few
	// to bound is missing, and all of it is where a side is zero.
	Ratio *float64 `json:"ratio,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

func latencyChanges(base, head *Latency) (list []LatencyChange) {
	for i := range base.Quantiles {
		b := &base.Quantiles[i]
		h := head.quantile(b.Q)
		if h == nil {
			continue
		}
		c := LatencyChange{Metric: base.Metric, Base: *b, Head: *h}
		if b.Value > 0 && h.Value > 0 {
			ratio := h.Value / b.Value
			span := stats.Ratio(b.Value, h.Value, b.span(), h.span())
			c.Ratio, c.Low, c.High = &ratio, bounded(span.Low), bounded(span.High)
			if span.Low == 0 {
				c.Low = nil
			}
		}
		list = append(list, c)
	}
	return list
}

// difference is head − base in seconds, with its 95 % interval by the square-and-add
// rule.
func (c *LatencyChange) difference() (d float64, s stats.Span) {
	b, h := c.Base.span(), c.Head.span()
	d = c.Head.Value - c.Base.Value
	return d, stats.Span{
		Low:  d - math.Hypot(c.Head.Value-h.Low, b.High-c.Base.Value),
		High: d + math.Hypot(h.High-c.Head.Value, c.Base.Value-b.Low),
	}
}

// span is the interval of the ratio with its open ends.
func (c *LatencyChange) span() stats.Span {
	s := stats.Span{Low: 0, High: math.Inf(1)}
	if c.Low != nil {
		s.Low = *c.Low
	}
	if c.High != nil {
		s.High = *c.High
	}
	return s
}
