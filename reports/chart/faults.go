package chart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpstorm/history"
)

// faults is what hit an arm, and when.
type faults struct {
	delivered tally
	toxics    []string // toxiproxy's own that were installed, sorted
	always    []string // those of them that no window bounds, sorted
	windows   []window // in order of their beginning
	// scattered are those delivered by rules without a window, of which byBin
	// says when.
	scattered tally
	byBin     []int
}

// tally counts delivered faults.
type tally struct {
	n       int
	cuts    map[string]int
	manners map[string]int
}

func newTally() tally { return tally{cuts: map[string]int{}, manners: map[string]int{}} }

func (t *tally) add(fault *history.Fault) {
	t.n++
	t.cuts[fault.Cut]++
	t.manners[fault.Manner]++
}

// window is a time during which rules were armed, in seconds since the start. That of
// a burst has no length.
type window struct {
	from, to float64
	rules    []*history.PlanRule
	hits     int           // delivered faults of its rules
	heal     *history.Heal // of the phase in which no rule is armed
}

// collectFaults sorts the faults of an arm into windows and the rest.
func collectFaults(run *history.Run, arm *history.Arm, c clock) faults {
	f := faults{delivered: newTally(), scattered: newTally(), byBin: make([]int, c.bins())}
	owner := f.addWindows(run, arm, c)
	toxics, always := map[string]bool{}, map[string]bool{}
	for i := range run.Faults {
		fault := &run.Faults[i]
		if fault.Arm != arm.Name {
			continue
		}
		switch fault.State {
		case history.FaultInstalled:
			toxics[fault.Toxic] = true
			if _, windowed := owner[fault.Rule]; !windowed {
				always[fault.Toxic] = true
			}
		case history.FaultDelivered:
			f.delivered.add(fault)
			if w, ok := owner[fault.Rule]; ok {
				f.windows[w].hits++
				continue
			}
			f.scattered.add(fault)
			f.byBin[c.bin(fault.At)]++
		}
	}
	f.toxics, f.always = slices.Sorted(maps.Keys(toxics)), slices.Sorted(maps.Keys(always))
	return f
}

// addWindows makes one window of all rules that share their times, and says which
// window each rule has.
func (f *faults) addWindows(run *history.Run, arm *history.Arm, c clock) (owner map[string]int) {
	for i := range run.Plan {
		rule := &run.Plan[i]
		from, to, ok := during(rule.During)
		if rule.Arm != arm.Name || !ok || from >= c.length {
			continue
		}
		w := window{from: from.Seconds(), to: min(to, c.length).Seconds()}
		at := slices.IndexFunc(f.windows, func(o window) bool { return o.from == w.from && o.to == w.to })
		if at < 0 {
			at = len(f.windows)
			f.windows = append(f.windows, w)
		}
		f.windows[at].rules = append(f.windows[at].rules, rule)
	}
	slices.SortStableFunc(f.windows, func(a, b window) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	if heal := arm.Heal; heal != nil && heal.At < c.length {
		f.windows = append(f.windows, window{from: heal.At.Seconds(), to: c.length.Seconds(), heal: heal})
	}
	owner = map[string]int{}
	for at, w := range f.windows {
		for _, rule := range w.rules {
			owner[rule.Rule] = at
		}
	}
	return owner
}

// windowEdges lists where windows begin and end within an arm's length.
func windowEdges(run *history.Run, arm *history.Arm, length time.Duration) []time.Duration {
	var edges []time.Duration
	for i := range run.Plan {
		from, to, ok := during(run.Plan[i].During)
		if !ok || run.Plan[i].Arm != arm.Name {
			continue
		}
		for _, edge := range []time.Duration{from, to} {
			if edge < length {
				edges = append(edges, edge)
			}
		}
	}
	return edges
}

// during reads a rule's window, or the one moment of a burst. What is no time, such as
// "start", has no end that is known beforehand: its faults are shown as they fell.
func during(text []string) (from, to time.Duration, ok bool) {
	if len(text) != 1 && len(text) != 2 {
		return 0, 0, false
	}
	from, err := time.ParseDuration(text[0])
	if err != nil || from < 0 {
		return 0, 0, false
	}
	if len(text) == 1 {
		return from, from, true
	}
	to, err = time.ParseDuration(text[1])
	return from, to, err == nil && from < to
}

// noun is what the faults are called. Where manners mix, or a front end
// answered in the server's place, they are just faults.
func (t *tally) noun() string {
	switch t.n {
	case t.manners["fin"] + t.manners["rst"]:
		return "connection cut"
	case t.manners["hold"]:
		return "held connection"
	}
	return "fault"
}

// name describes the faults: "742 cuts, C1–C6, fin and rst".
func (t *tally) name() string {
	noun := "fault"
	if t.noun() == "connection cut" {
		noun = "cut"
	}
	parts := []string{
		count(t.n, noun), cutRange(slices.Sorted(maps.Keys(t.cuts))), list(slices.Sorted(maps.Keys(t.manners))),
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// cutRange shortens three neighbours or more among sorted cut points: C1–C6. One
// that is no number, such as C3w, is named by itself behind the others.
func cutRange(cuts []string) string {
	var parts, others []string
	position := map[string]int{}
	for _, cut := range cuts {
		n, err := strconv.Atoi(strings.TrimPrefix(cut, "C"))
		if err != nil {
			others = append(others, cut)
		}
		position[cut] = n
	}
	cuts = slices.DeleteFunc(cuts, func(cut string) bool { return slices.Contains(others, cut) })
	for i := 0; i < len(cuts); {
		n := 1
		for i+n < len(cuts) && position[cuts[i+n]] == position[cuts[i]]+n {
			n++
		}
		if n >= 3 {
			parts = append(parts, cuts[i]+"–"+cuts[i+n-1])
		} else {
			parts = append(parts, cuts[i:i+n]...)
		}
		i += n
	}
	return strings.Join(append(parts, others...), ", ")
}

// name describes a window: its rules, and how many faults were delivered in it.
// The counted name gives way to the plain one where it has no room.
func (w *window) name() (plain, counted string) {
	var rules []string
	for _, rule := range w.rules {
		if text := ruleName(rule); !slices.Contains(rules, text) {
			rules = append(rules, text)
		}
	}
	plain = strings.Join(rules, ", ")
	if w.heal != nil {
		plain = "heal phase, no faults"
	}
	if w.hits == 0 {
		return plain, plain
	}
	return plain, plain + ": " + thousands(w.hits)
}

// ruleName is the shortest name of a rule: "C4 rst 15%" or "latency 250±100 ms".
func ruleName(rule *history.PlanRule) string {
	if rule.Toxic != "" {
		return toxicName(rule)
	}
	manner := rule.Manner
	if rule.Detail != nil && rule.Detail.Code != 0 {
		manner = strconv.Itoa(rule.Detail.Code) // of a front end, which says more than "status"
	}
	text := strings.TrimSpace(rule.Cut + " " + manner)
	if rule.Share > 0 && rule.Share < 1 {
		text += " " + number(rule.Share*100) + "%"
	}
	return text
}

// toxicName is the toxic with its delay, where it has one; toxiproxy counts
// delays in milliseconds.
func toxicName(rule *history.PlanRule) string {
	delay, ok := rule.Attributes["latency"]
	if !ok {
		return rule.Toxic
	}
	text := fmt.Sprintf("%s %v", rule.Toxic, delay)
	if jitter, ok := rule.Attributes["jitter"]; ok {
		text += fmt.Sprintf("±%v", jitter)
	}
	return text + " ms"
}

// lanes places windows in rows so that none covers another. Beyond the most rows
// that a chart has room for, windows share the last one.
func lanes(windows []window, most int) [][]window {
	var rows [][]window
	for _, w := range windows {
		row := slices.IndexFunc(rows, func(r []window) bool { return r[len(r)-1].to <= w.from })
		switch {
		case row >= 0:
			rows[row] = append(rows[row], w)
		case len(rows) < most:
			rows = append(rows, []window{w})
		default:
			mergeInto(&rows[most-1][len(rows[most-1])-1], w)
		}
	}
	return rows
}

func mergeInto(w *window, other window) {
	w.to = max(w.to, other.to)
	w.rules = append(slices.Clone(w.rules), other.rules...)
	w.hits += other.hits
}
