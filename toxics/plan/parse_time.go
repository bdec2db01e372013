package plan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// burstShares are the words for a burst's share.
var burstShares = map[string]float64{"half": 0.5, "all": 1}

// window reads during: two times since the arm began, or the word start.
func (d *decoder) window() (w Window) {
	raw, ok := d.raw["during"]
	if !ok {
		return w
	}
	const want = `two durations since the arm began, such as ["5s", "25s"], or "start"`
	var word string
	var times []string
	switch {
	case json.Unmarshal(raw, &word) == nil && word == "start":
		return Window{Start: true}
	case json.Unmarshal(raw, &times) != nil || len(times) != 2:
		d.fail(ErrRule, "during %s is not %s", raw, want)
		return w
	}
	w.From, w.To = d.since("during", times[0]), d.since("during", times[1])
	if w.From >= w.To {
		d.fail(ErrRule, "during %s does not end after it begins", raw)
	}
	return w
}

// burstRule reads a burst, which cuts connections and not exchanges.
func (d *decoder) burstRule() Rule {
	r := Rule{On: d.server(), Cut: CutBurst, Manner: RST, Share: 1}
	d.word("manner", &r.Manner, manners, laterManners)
	r.For = d.length("for")
	d.fits(&r)
	inner := decoder{at: d.at + ".burst", servers: d.servers, err: d.err}
	d.read("burst", &inner.raw, "an object such as {at: '8s', what: 'half'}")
	if d.err != nil {
		return r
	}
	inner.keys("a burst", burstOf)
	if !inner.has("at") {
		inner.fail(ErrRule, "no at: when the burst comes, since the arm began")
	}
	var at string
	inner.read("at", &at, "a duration since the arm began, such as '8s'")
	r.BurstAt = inner.since("at", at)
	r.Share = inner.share()
	d.err = inner.err
	return r
}

// share reads what of a burst: a word for it, or a number.
func (d *decoder) share() float64 {
	share, word := 1.0, ""
	if json.Unmarshal(d.raw["what"], &word) != nil || bytes.Equal(d.raw["what"], []byte("null")) {
		d.read("what", &share, "'half', 'all' or a number in [0, 1]")
		d.some("what", share)
		return share
	}
	share, ok := burstShares[word]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(burstShares)), ", ")
		d.fail(ErrRule, "unknown what %q; known: %s, or a number in [0, 1]", word, known)
	}
	return share
}

// since reads one time since the arm began.
func (d *decoder) since(key, text string) time.Duration {
	t, err := time.ParseDuration(text)
	if err != nil || t < 0 {
		d.fail(ErrRule, "%s %q is not a duration of 0 or more, such as '8s'", key, text)
	}
	return t
}
