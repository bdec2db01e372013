package check

import (
	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// clusters counts operations by rollout. The list is in order of first
// appearance, so that sums over it come out the same every time.
type clusters struct {
	at   map[string]int // index into list, by rollout
	list []stats.Cluster
}

// add counts one operation of a rollout.
func (c *clusters) add(rollout string, counted bool) {
	if c.at == nil {
		c.at = map[string]int{}
	}
	i, ok := c.at[rollout]
	if !ok {
		i = len(c.list)
		c.at[rollout] = i
		c.list = append(c.list, stats.Cluster{})
	}
	c.list[i].Of++
	if counted {
		c.list[i].Count++
	}
}

// rate is the rate over all operations, with the interval that their rollouts
// allow.
func (c *clusters) rate() *history.Interval {
	count, of := 0, 0
	for _, one := range c.list {
		count += one.Count
		of += one.Of
	}
	return interval(count, of, stats.Clustered(c.list))
}

func interval(count, of int, bounds stats.Interval) *history.Interval {
	rate := 0.0
	if of > 0 {
		rate = float64(count) / float64(of)
	}
	return &history.Interval{Count: count, Of: of, Rate: rate, Low: bounds.Low, High: bounds.High}
}
