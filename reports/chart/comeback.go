package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
)

// DefaultObjective is the rate of failed attempts under which a server counts as
// recovered where nothing else is asked.
const DefaultObjective = 0.01

// comebacks is what the recovery figure shows of a run.
type comebacks struct {
	run       *history.Run
	objective float64
	bin       time.Duration
	rows      []comebackRow
	quiet     int // stretches of faults after which nothing was asked
}

// comebackRow is one server of one arm, with a comeback for each stretch of faults
// that it had.
type comebackRow struct {
	arm, server string
	times       []comeback
	verdict     *history.Recovery
}

// comeback is how long after the end of a stretch of faults the rate of failed
// attempts stayed above the objective.
type comeback struct {
	after time.Duration // when the stretch ended, since the arm's start
	took  time.Duration
	// open says that the rate had not come back when the next stretch or the arm's
	// end came; took is then how long that was.
	open bool
	of   int // attempts that were looked at
	// few says that none of them failed, and that they are too few to show a rate
	// under the objective.
	few bool
}

// outcome is when one attempt on a server began and ended, since its arm's start,
// and how.
type outcome struct {
	from, at time.Duration
	failed   bool
}

// measureComebacks gathers the judged arms. rows is what the verdict says of their
// recovery.
func measureComebacks(run *history.Run, o Options) *comebacks {
	c := &comebacks{run: run, objective: o.Objective}
	if c.objective <= 0 || c.objective >= 1 {
		c.objective = DefaultObjective
	}
	var all []gathered
	for _, arm := range judged(run) {
		byServer := outcomesByServer(run, arm)
		for _, s := range arm.Servers {
			faulty := stretches(run, arm, s.Name)
			if len(faulty) == 0 || len(byServer[s.Name]) == 0 {
				continue
			}
			g := gathered{comebackRow{arm: arm.Name, server: s.Name}, faulty, byServer[s.Name]}
			for i := range o.Recovery {
				if r := &o.Recovery[i]; r.Arm == arm.Name && r.Server == s.Name {
					g.row.verdict = r
				}
			}
			all = append(all, g)
		}
	}
	shortest := time.Duration(math.MaxInt64) // of the times that are looked at
	for _, g := range all {                  // one width for all, so that they can be compared
		c.bin = max(c.bin, comebackBin(g.outcomes))
		for i := range g.faulty {
			if length := g.until(i) - g.faulty[i].to; length > 0 {
				shortest = min(shortest, length)
			}
		}
	}
	for c.bin > widths[0] && c.bin > shortest/comebackBins {
		c.bin = widths[slices.Index(widths, c.bin)-1]
	}
	for _, g := range all {
		for i, s := range g.faulty {
			until := g.until(i)
			if back := comeBack(g.outcomes, s, until, c.bin, c.objective); back.of > 0 {
				g.row.times = append(g.row.times, back)
			} else {
				c.quiet++
			}
		}
		if len(g.row.times) > 0 {
			c.rows = append(c.rows, g.row)
		}
	}
	return c
}

// gathered is a row before its times are known.
type gathered struct {
	row      comebackRow
	faulty   []stretch
	outcomes []outcome // not empty
}

// until is when the time after a stretch of faults ends.
func (g *gathered) until(i int) time.Duration {
	if i+1 < len(g.faulty) {
		return g.faulty[i+1].from
	}
	return g.outcomes[len(g.outcomes)-1].at + 1
}

// outcomesByServer are the attempts of an arm in order of their ends.
func outcomesByServer(run *history.Run, arm *history.Arm) map[string][]outcome {
	m := &measures{run: run, arm: arm}
	out := map[string][]outcome{}
	for _, t := range m.collectAttempts() {
		out[t.server] = append(out[t.server], outcome{time.Duration(t.start - arm.Start), time.Duration(t.end - arm.Start), t.failed})
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b outcome) int { return cmp.Compare(a.at, b.at) })
	}
	return out
}

// A bin holds so many attempts on average, as with fewer one failure says little of a
// rate; but in the shortest time that is looked at there are so many bins, or failures
// at its beginning would be taken for failures at its end.
const (
	perComebackBin = 40
	comebackBins   = 4
)

// comebackBin is the finest width at which bins hold so many attempts on average.
func comebackBin(list []outcome) time.Duration {
	length := list[len(list)-1].at - list[0].at
	for _, width := range widths {
		if bins := max(int(length/width), 1); len(list) >= perComebackBin*bins {
			return width
		}
	}
	return widths[len(widths)-1]
}

// comeBack looks at the attempts that ended from the end of a stretch of faults
// until something else begins. In every bin after the comeback the rate of failures
// is at most the objective; the comeback itself is the last failure before it.
func comeBack(list []outcome, faulty stretch, until, bin time.Duration, objective float64) comeback {
	end := faulty.to
	back := comeback{after: end}
	var in ratio
	var failure time.Duration // the last in the bin
	last, n, failed := false, time.Duration(0), false
	closeBin := func() {
		if last = in.share() > objective; last {
			back.took = failure - end
		}
		in = ratio{}
	}
	for _, o := range list {
		if o.at <= end || o.at >= until || faulty.loose && o.from <= end {
			continue
		}
		at := (o.at - end) / bin
		if back.of > 0 && at != n {
			closeBin()
		}
		n = at
		back.of++
		in.add(o.failed)
		if o.failed {
			failure, failed = o.at, true
		}
	}
	if back.of > 0 {
		closeBin()
	}
	back.open = last
	back.few = !failed && float64(back.of) < 1/objective
	return back
}

// all is every comeback, in order of rows.
func (c *comebacks) all() (times []comeback) {
	for _, row := range c.rows {
		times = append(times, row.times...)
	}
	return times
}

func (c *comebacks) title() string {
	all := c.all()
	open, few, longest := 0, 0, time.Duration(0)
	for _, t := range all {
		switch {
		case t.open:
			open++
		case t.few:
			few++
		default:
			longest = max(longest, t.took)
		}
	}
	under := "under " + c.percent()
	switch told := len(all) - few; {
	case open > 0:
		return fmt.Sprintf("After %s of %s, attempts kept failing: not back %s", thousands(open), count(len(all), "end")+" of faults", under)
	case longest == 0:
		return fmt.Sprintf("Failed attempts were %s at once when faults ended, %s of %s", under, thousands(told), count(len(all), "time"))
	default:
		return fmt.Sprintf("Failed attempts were back %s within %s of the faults' end, %s of %s", under, short(longest), thousands(told), count(len(all), "time"))
	}
}

func (c *comebacks) percent() string { return number(100*c.objective) + "%" }

// short is a measured duration with three digits at most: 340 ms, 1.2 s.
func short(d time.Duration) string {
	if d == 0 {
		return "0 s"
	}
	return latency(d.Seconds())
}

func (c *comebacks) subtitle() string {
	return dots("From the end of a fault window, burst or last fault to the last failed attempt before the rate stays under "+c.percent(),
		"n = "+count(len(c.all()), "end"))
}

func (c *comebacks) note() string {
	text := "Attempts before any retry, in bins of " + seconds(c.bin) + " · a dot for each end of faults, grey where too few followed"
	if c.quiet > 0 {
		text += " · " + count(c.quiet, "end") + " after which nothing was asked left out"
	}
	return text
}

func (c *comebacks) alt() string {
	var b strings.Builder
	b.WriteString(dotted(c.title(), c.subtitle(), c.note()))
	for _, row := range c.rows {
		b.WriteString(" " + row.name(len(judged(c.run)) > 1) + ":")
		for i, t := range row.times {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s after the faults that ended at %s (%s)", t.text(), seconds(t.after.Round(time.Millisecond)), count(t.of, "attempt"))
		}
		if text := row.served(); text != "" {
			b.WriteString("; " + text)
		}
		b.WriteString(".")
	}
	return b.String()
}

// text says how long a comeback took.
func (t comeback) text() string {
	switch {
	case t.open:
		return "not within " + short(t.took)
	case t.few:
		return "too few attempts to tell"
	}
	return short(t.took)
}

// dotted makes a sentence of each text.
func dotted(texts ...string) string { return strings.Join(texts, ". ") + "." }

func (r *comebackRow) name(withArm bool) string {
	if withArm {
		return r.arm + " · " + r.server
	}
	return r.server
}

// served is what the verdict says of the server.
func (r *comebackRow) served() string {
	if r.verdict == nil {
		return ""
	}
	return "first answer in " + short(time.Duration(r.verdict.Served).Round(time.Microsecond))
}
