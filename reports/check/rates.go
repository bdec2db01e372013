package check

import "mcpstorm/history"

// rates are what is measured and not judged. One whose whole is empty is left
// out.
func rates(ix *index) []history.Rate {
	var unknown, cautious, absorbed clusters
	for _, a := range ix.judged {
		for _, c := range a.order {
			for _, id := range c.order {
				countIdentity(c, id, &unknown, &cautious, &absorbed)
			}
		}
	}
	var out []history.Rate
	add := func(name, text string, c *clusters) {
		if len(c.list) > 0 {
			out = append(out, history.Rate{Name: name, Text: text, Rate: *c.rate()})
		}
	}
	add("told-unknown", "operations told unknown", &unknown)
	add("over-caution", "operations told unknown though nothing ran and the client could know", &cautious)
	add("replays-absorbed", "answers that a server gave from its record instead of executing again", &absorbed)
	return out
}

func countIdentity(c *conversation, id *identity, unknown, cautious, absorbed *clusters) {
	if id.key == "" {
		return
	}
	_, hi, known := c.truth(id)
	for _, op := range id.ops {
		told := op.Told == history.ToldUnknown
		unknown.add(op.Rollout, told)
		if known {
			cautious.add(op.Rollout, told && hi == 0 && op.Knowable)
		}
	}
	for _, e := range id.effects {
		if e.Kind == history.EffectAnswer {
			absorbed.add(c.rollout, e.Replayed)
		}
	}
}
