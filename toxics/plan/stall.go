package plan

import (
	"cmp"
	"slices"
	"time"
)

// Stall is a time in which a server takes no connection: they wait unaccepted
// (hold), or are reset when they come (rst).
type Stall struct {
	Rule   string
	Manner string
	At     time.Duration // since the arm began
	For    time.Duration
}

// Stalls are those planned for a server, in order of time and, at the same time,
// of declaration. The slice belongs to the caller.
func (p *Plan) Stalls(server string) []Stall {
	var out []Stall
	for _, r := range p.rules {
		if r.Cut == CutAccept && r.On == server {
			out = append(out, Stall{Rule: r.ID, Manner: r.Manner, At: r.BurstAt, For: r.For})
		}
	}
	slices.SortStableFunc(out, func(a, b Stall) int { return cmp.Compare(a.At, b.At) })
	return out
}
