package check

import (
	"fmt"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// rates are what is measured and not judged. One whose whole is empty is left
// out.
func rates(ix *index) []history.Rate {
	out := answerRates(ix)
	out = append(out, endingRates(ix)...)
	out = append(out, amplification(ix)...)
	out = append(out, reissueRates(ix)...)
	out = append(out, cancelRates(ix)...)
	return append(out, unjudgedRates(ix)...)
}

// answerRates are about what callers were told, and about what servers answered.
func answerRates(ix *index) []history.Rate {
	unknown, cautious, absorbed := ix.numbers.clusters(), ix.numbers.clusters(), ix.numbers.clusters()
	for _, a := range ix.judged {
		for _, c := range a.order {
			for _, id := range c.order {
				countIdentity(c, id, cautious, absorbed)
			}
		}
		for _, op := range a.ops {
			unknown.add(op.Rollout, op.Told == history.ToldUnknown)
		}
	}
	var out []history.Rate
	add := func(name, text string, c *clusters) {
		ix.tallies.keep(name, c)
		if len(c.list) > 0 {
			out = append(out, history.Rate{Name: name, Text: text, Rate: *c.rate()})
		}
	}
	add("told-unknown", "operations told unknown", unknown)
	add("over-caution", "operations told unknown though nothing ran and the client could know", cautious)
	add("replays-absorbed", "answers that a server gave from its record instead of executing again", absorbed)
	return out
}

func countIdentity(c *conversation, id *identity, cautious, absorbed *clusters) {
	if id.key == "" {
		return
	}
	_, hi, known := c.truth(id)
	for _, op := range id.ops {
		if known {
			cautious.add(op.Rollout, op.Told == history.ToldUnknown && hi == 0 && op.Knowable)
		}
	}
	for _, e := range id.effects {
		if e.Kind == history.EffectAnswer {
			absorbed.add(c.rollout, e.Replayed)
		}
	}
}

// endingRates are how tasks failed, each by its last rollout.
func endingRates(ix *index) []history.Rate {
	tasks := 0
	fates := map[fate]int{}
	for _, a := range ix.judged {
		for _, e := range a.ends {
			if e.fate != fateIdle {
				tasks++
				fates[e.fate]++
			}
		}
	}
	if tasks == 0 {
		return nil
	}
	rate := func(name, text string, f fate) history.Rate {
		return history.Rate{Name: name, Text: text, Rate: *interval(fates[f], tasks, stats.ClopperPearson(fates[f], tasks))}
	}
	return []history.Rate{
		rate("failed-genuine", "tasks failed for a genuine cause", fateGenuine),
		rate("failed-honest", "tasks failed after an honest unknown", fateHonest),
		rate("failed-spurious", "tasks failed though nothing real was wrong", fateSpurious),
	}
}

// amplification is the share of calls that repeat an earlier one of the same
// operation.
func amplification(ix *index) []history.Rate {
	repeats := ix.numbers.clusters()
	ix.tallies.keep("amplification", repeats)
	calls, called, most := 0, 0, 0
	worst := ""
	for _, a := range ix.judged {
		for _, o := range a.opOrder {
			n := 0
			for _, at := range o.exchanges {
				if at.Role == history.RoleCall {
					repeats.add(at.Rollout, n > 0)
					n++
				}
			}
			if n == 0 {
				continue
			}
			calls += n
			called++
			if n > most {
				most, worst = n, o.id
			}
		}
	}
	if calls == 0 {
		return nil
	}
	text := fmt.Sprintf("calls repeated an earlier one: %.2f calls an operation, at most %d (%s)", float64(calls)/float64(called), most, worst)
	return []history.Rate{{Name: "amplification", Text: text, Rate: *repeats.rate()}}
}

// unjudgedRates say how far the faults of arms that are only tabulated met their
// mark.
func unjudgedRates(ix *index) []history.Rate {
	var out []history.Rate
	for _, a := range ix.declared {
		if a.judged || a.Control || len(a.marked) == 0 {
			continue
		}
		met := ix.numbers.clusters()
		r := receiptsOf(a)
		for _, at := range a.marked {
			if at.Written > 0 || r.met[at] {
				met.add(at.Rollout, r.met[at])
			}
		}
		if len(met.list) > 0 {
			out = append(out, history.Rate{
				Name: "faults-met:" + a.Name,
				Text: fmt.Sprintf("marked exchanges sent in arm %s, which is not judged, met their fault", a.Name), Rate: *met.rate(),
			})
		}
	}
	return out
}
