package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
)

var (
	statusKeys = []string{"code", "when", "retryAfter", "location"} // within status
	whens      = []string{"before", "after"}

	before = []string{C1, C3w, C8} // the cuts of a front end that does not forward
	after  = []string{C3, C4}      // and of one that does
)

// maxLength bounds how long a hold or a lateness may be asked to last.
const maxLength = 24 * time.Hour

// Impossible says why no exchange of a role can be broken so, or nothing when it
// can.
func Impossible(cut, manner string, at history.ExchangeRole) string {
	switch bare := at == history.RoleInitialized || at == history.RoleDelete; {
	case cut == C8 && at != history.RoleDelete && at != history.RoleGet:
		return "C8 is the failure of a clean-up exchange: delete or get"
	case bare && slices.Contains([]string{C5, C6, C7}, cut):
		return "its answer has no body"
	case slices.Contains(mannersOf[cut], manner):
		return ""
	case cut == C0:
		return "a connection that was refused carries no answer"
	case manner == Status && cut == C2:
		return "a front end that answers has read the whole request: C1 or C3"
	case manner == Status:
		return "the head of the answer has been given already"
	case manner == Late:
		return "nothing is withheld that could pass later: C1, C3w, C4 or C8"
	}
	return "known manners: " + strings.Join(mannersOf[cut], ", ")
}

// manner reads how an exchange breaks, and what its manner says beside its name.
// A status is a manner by itself, and tells the cut: before or after forwarding.
func (d *decoder) manner(r *Rule) {
	if r.Cut == C3w {
		r.Manner = Hold // the client is told nothing
	}
	d.word("manner", &r.Manner, manners, laterManners)
	if d.has("status") {
		d.status(r)
	} else if r.Manner == Status {
		d.fail(ErrRule, "manner status without a status: 503, or {code: 503, when: 'after'}")
	}
	r.For = d.length("for")
	d.read("leg", &r.Leg, "client or server")
	d.read("way", &r.Way, "up or down")
}

// fits refuses a cut that cannot occur at the role, or in the manner, or as the
// rule details it.
func (d *decoder) fits(r *Rule) {
	if d.err != nil {
		return
	}
	if why := Impossible(r.Cut, r.Manner, r.At); why != "" {
		d.fail(ErrRule, "cut %s by %s at %s cannot occur: %s", r.Cut, r.Manner, r.At, why)
	}
	if err := r.Detail.Check(r.Cut, r.Manner); err != nil {
		d.fail(ErrRule, "%s", strings.TrimPrefix(err.Error(), ErrRule.Error()+": "))
	}
}

// status reads the answer of a front end: a code, or an object.
func (d *decoder) status(r *Rule) {
	if d.has("manner") && r.Manner != Status {
		d.fail(ErrRule, "status %s with manner %s: a status is a manner of its own", d.raw["status"], r.Manner)
	}
	r.Manner = Status
	d.known("manner", Status, manners, laterManners)
	when := ""
	if json.Unmarshal(d.raw["status"], &r.Code) != nil {
		inner := decoder{at: d.at + ".status"}
		d.read("status", &inner.raw, "an HTTP status such as 503, or {code: 503, when: 'after'}")
		if d.err != nil {
			return
		}
		when = inner.answer(r)
		d.err = inner.err
	}
	switch {
	case !d.has("cut") && when == "after":
		r.Cut = C4
	case !d.has("cut"):
		r.Cut = C1
	case when == "before" && !slices.Contains(before, r.Cut), when == "after" && !slices.Contains(after, r.Cut):
		d.fail(ErrRule, "cut %s with a status %s forwarding; before is %s, after is %s",
			r.Cut, when, strings.Join(before, ", "), strings.Join(after, ", "))
	}
}

// answer reads the object form of a status.
func (d *decoder) answer(r *Rule) (when string) {
	d.keys("a status", statusKeys)
	if !d.has("code") {
		d.fail(ErrRule, "no code; known: %s", strings.Trim(fmt.Sprint(Codes), "[]"))
	}
	d.read("code", &r.Code, "an HTTP status")
	d.word("when", &when, whens, nil)
	r.RetryAfter = d.length("retryAfter")
	d.read("location", &r.Location, "where a redirect points")
	return when
}

// length reads a duration of more than zero; without the key it is zero.
func (d *decoder) length(key string) time.Duration {
	if !d.has(key) {
		return 0
	}
	var text string
	d.read(key, &text, "a duration such as '5s'")
	t, err := time.ParseDuration(text)
	if err != nil || t <= 0 || t > maxLength {
		d.fail(ErrRule, "%s %q is not a duration of more than zero and at most %v, such as '5s'", key, text, maxLength)
	}
	return t
}

// shareOf reads a share: a number, or the two ends of a ramp over the window.
func (d *decoder) shareOf(r *Rule) {
	r.Share = 1
	var ends []float64
	if json.Unmarshal(d.raw["share"], &ends) != nil || ends == nil {
		d.read("share", &r.Share, "a number in [0, 1], or two: the ends of a ramp")
		d.some("share", r.Share)
		return
	}
	if len(ends) != 2 {
		d.fail(ErrRule, "share %s is not a number in [0, 1], nor two: the ends of a ramp", d.raw["share"])
		return
	}
	d.unit("share", ends[0])
	d.unit("share", ends[1])
	if r.During.Start || r.During.To == 0 {
		d.fail(ErrRule, "share %s is a ramp and needs a window of two times: during: ['5s', '25s']", d.raw["share"])
	}
	r.Share = max(ends[0], ends[1])
	d.some("share", r.Share)
	r.During.Ramp, r.During.Low, r.During.High = true, ends[0], ends[1]
}
