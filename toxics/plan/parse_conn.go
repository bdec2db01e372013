package plan

import "time"

var (
	idleKeys   = []string{"on", "idle", "jitter", "manner", "share", "for", "during"}
	acceptKeys = []string{"on", "accept", "manner"}
	acceptOf   = []string{"at", "for"} // within accept
)

// idleRule reads what becomes of idle connections.
func (d *decoder) idleRule() Rule {
	r := Rule{On: d.server(), Cut: CutIdle, Manner: FIN, Share: 1, During: d.window()}
	d.word("manner", &r.Manner, mannersOf[CutIdle], nil)
	r.IdleAfter = d.length("idle")
	r.Jitter = d.length("jitter")
	r.For = d.length("for")
	d.read("share", &r.Share, "a number in [0, 1]")
	d.some("share", r.Share)
	switch {
	case r.Jitter >= r.IdleAfter && r.Jitter > 0:
		d.fail(ErrRule, "jitter %v is not less than the idle time of %v", r.Jitter, r.IdleAfter)
	case r.During.Start:
		d.fail(ErrRule, "during %s: an idle connection is at no step; give two times", d.raw["during"])
	}
	d.fits(&r)
	return r
}

// acceptRule reads a time in which no connection is taken.
func (d *decoder) acceptRule() Rule {
	r := Rule{On: d.server(), Cut: CutAccept, Manner: Hold, Share: 1}
	d.word("manner", &r.Manner, mannersOf[CutAccept], nil)
	inner := decoder{at: d.at + ".accept", err: d.err}
	d.read("accept", &inner.raw, "an object such as {at: '8s', for: '2s'}")
	if d.err != nil {
		return r
	}
	inner.keys("an accept", acceptOf)
	if !inner.has("at") || !inner.has("for") {
		inner.fail(ErrRule, "no at or no for: when connections are not taken, and how long")
	}
	r.BurstAt, r.For = inner.moment("at"), inner.length("for")
	d.err = inner.err
	return r
}

// moment reads a time since the arm began.
func (d *decoder) moment(key string) time.Duration {
	var text string
	d.read(key, &text, "a duration since the arm began, such as '8s'")
	return d.since(key, text)
}
