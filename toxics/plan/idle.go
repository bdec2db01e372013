package plan

import (
	"strconv"
	"time"

	"mcpstorm/internal/seed"
)

// Idle is what becomes of connections that are idle for a time after an answer: a
// server that closes them (fin, rst), or a middlebox that forgets them and tells
// nobody until the next request comes (hold, forget).
type Idle struct {
	Rule   string
	Manner string
	After  time.Duration // since the last answer
	Jitter time.Duration // each idle time is After, give or take up to this much
	Share  float64       // of the connections, in [0, 1]
	For    time.Duration // how long a hold lasts; until the proxy closes when zero
	During Window

	root seed.Root
}

// Silent reports whether the client is told nothing before its next request.
func (i Idle) Silent() bool { return i.Manner == Hold || i.Manner == Forget }

// Of is how long a connection stays idle after so many answers before this comes
// about, and whether the seed chose that connection.
func (i Idle) Of(conn int64, answers int) (time.Duration, bool) {
	id := strconv.FormatInt(conn, 10)
	if i.root.Unit("idle", i.Rule, id) >= i.Share {
		return 0, false
	}
	off := 2*i.root.Unit("idle time", i.Rule, id, strconv.Itoa(answers)) - 1
	return i.After + time.Duration(off*float64(i.Jitter)), true
}

// Idles are those planned for a server, in order of declaration. The slice belongs
// to the caller.
func (p *Plan) Idles(server string) []Idle {
	var out []Idle
	for _, r := range p.rules {
		if r.Cut == CutIdle && r.On == server {
			out = append(out, Idle{
				Rule: r.ID, Manner: r.Manner, After: r.IdleAfter, Jitter: r.Jitter,
				Share: r.Share, For: r.For, During: r.During, root: p.root,
			})
		}
	}
	return out
}
