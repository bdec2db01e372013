package check

import (
	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// clusters counts operations by rollout. The list is in order of first appearance, so
// that sums over it come out the same every time.
type clusters struct {
	numbers numbering
	at      []int32           // by the rollout's number: its place in the list, from 1
	strange map[string]*int32 // the same of rollouts without a number
	list    []stats.Cluster
}

// numbering gives every rollout of a run a number, from 0. Many counts go by rollout,
// and share it.
type numbering map[string]int32

func (n numbering) add(rollout string) {
	if _, known := n[rollout]; !known {
		n[rollout] = int32(len(n))
	}
}

func (n numbering) clusters() *clusters { return &clusters{numbers: n} }

// add counts one operation of a rollout.
func (c *clusters) add(rollout string, counted bool) {
	place := c.place(rollout)
	if *place == 0 {
		if c.list == nil {
			c.list = make([]stats.Cluster, 0, len(c.numbers))
		}
		c.list = append(c.list, stats.Cluster{})
		*place = int32(len(c.list))
	}
	one := &c.list[*place-1]
	one.Of++
	if counted {
		one.Count++
	}
}

// place is where the rollout stands in the list, from 1; 0 when it has not come yet.
func (c *clusters) place(rollout string) *int32 {
	if n, numbered := c.numbers[rollout]; numbered {
		if c.at == nil {
			c.at = make([]int32, len(c.numbers))
		}
		return &c.at[n]
	}
	if c.strange[rollout] == nil {
		if c.strange == nil {
			c.strange = map[string]*int32{}
		}
		c.strange[rollout] = new(int32)
	}
	return c.strange[rollout]
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
