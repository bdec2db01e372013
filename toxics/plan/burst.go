package plan

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"mcpstorm/internal/seed"
)

// Burst cuts a share of the connections that are open at one moment, all
// together and whatever is under way on them. With the end of their server's
// process it cuts all of them.
type Burst struct {
	Rule   string
	Manner string
	At     time.Duration // since the arm began
	Share  float64       // of the connections open then, in [0, 1]
	For    time.Duration // how long a hold lasts, until the proxy closes when zero; of a kill, how long the server is down
	Kill   bool          // the server's process ends, and is started again

	root seed.Root
}

// Cut is what the burst is called in records.
func (b Burst) Cut() string {
	if b.Kill {
		return CutKill
	}
	return CutBurst
}

// Burst is the end of all connections that comes with a kill for this mark.
func (d Decision) Burst() Burst {
	return Burst{Rule: d.Rule, Manner: d.Manner, Share: 1, For: d.For, Kill: true}
}

// Choose says which of the open connections are cut: the share, rounded to the
// nearest whole number, of those that the seed ranks first by their ordinals. The
// choice does not depend on the order of open; the result is sorted.
func (b Burst) Choose(open []int64) []int64 {
	type ranked struct {
		conn int64
		rank float64
	}
	list := make([]ranked, 0, len(open))
	for _, conn := range open {
		list = append(list, ranked{conn, b.root.Unit("burst", b.Rule, strconv.FormatInt(conn, 10))})
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.conn, b.conn))
	})
	var chosen []int64
	for _, r := range list[:int(math.Round(b.Share*float64(len(list))))] {
		chosen = append(chosen, r.conn)
	}
	slices.Sort(chosen)
	return chosen
}

// Bursts are those planned for a server, timed kills among them, in order of time
// and, at the same time, of declaration. The slice belongs to the caller.
func (p *Plan) Bursts(server string) []Burst {
	var out []Burst
	for _, r := range p.rules {
		if (r.Cut == CutBurst || r.timedKill()) && r.On == server {
			out = append(out, Burst{Rule: r.ID, Manner: r.Manner, At: r.BurstAt, Share: r.Share, For: r.For, Kill: r.timedKill(), root: p.root})
		}
	}
	slices.SortStableFunc(out, func(a, b Burst) int { return cmp.Compare(a.At, b.At) })
	return out
}
