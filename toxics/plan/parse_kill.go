package plan

import (
	"slices"
	"strings"

	"mcpstorm/history"
)

var (
	killShareKeys = []string{"on", "kill", "at", "tool", "first", "share", "attempts", "during"}
	killListKeys  = []string{"on", "kill", "at", "op", "attempt", "during"}
	killTimedKeys = []string{"on", "kill"}
	killOf        = []string{"after", "at", "down"} // within kill

	killAfter = []string{"commit"}
	committed = []string{"call", "settle"} // the exchanges that commit anything
)

// killRule reads the end of a server's process: after the commit of marked
// exchanges, as a share or listed, or at one time.
func (d *decoder) killRule() Rule {
	r := Rule{On: d.server(), Cut: CutKill, Manner: RST, Share: 1}
	inner := decoder{at: d.at + ".kill", err: d.err}
	d.read("kill", &inner.raw, "an object such as {after: 'commit', down: '300ms'} or {at: '5s', down: '300ms'}")
	if d.err != nil {
		return r
	}
	inner.keys("a kill", killOf)
	if inner.has("after") == inner.has("at") {
		inner.fail(ErrRule, "when the process ends is said once: after: 'commit', or at, a time since the arm began")
	}
	r.For = inner.length("down")
	if inner.has("at") {
		r.BurstAt = inner.moment("at")
		d.err = inner.err
		d.keys("a kill at a time", killTimedKeys)
		return r
	}
	after := ""
	inner.word("after", &after, killAfter, nil)
	d.err = inner.err
	return d.killAfterCommit(r)
}

// killAfterCommit reads the exchanges whose commit is the last of a process.
func (d *decoder) killAfterCommit(r Rule) Rule {
	r.At, r.During = history.RoleCall, d.window()
	d.word("at", (*string)(&r.At), roles, nil)
	if d.err == nil && !slices.Contains(committed, string(r.At)) {
		d.fail(ErrRule, "a kill after the commit at %s: nothing is committed there; known: %s", r.At, strings.Join(committed, ", "))
	}
	if d.has("op") {
		d.keys("a listed kill", killListKeys)
		r.Share = 0
		return d.listed(r)
	}
	d.keys("a share of kills", killShareKeys)
	return d.shared(r)
}
