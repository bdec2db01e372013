package compare

import (
	"slices"
)

// Options say how runs are compared.
type Options struct {
	// Rules are the budgets.
	Rules []Rule
	// Ignore are the grounds against comparing that are put aside, by name; Force puts
	// all aside.
	Ignore []string
	Force  bool
}

// Conclusion is what a comparison came to.
type Conclusion string

// The conclusions, the one that counts most first.
const (
	Worse        Conclusion = "worse"                 // a rate rose by more than chance, or a budget is exceeded
	Incomparable Conclusion = "incomparable"          // the runs are not of the same thing
	NoData       Conclusion = "no data"               // a budget is of what was not measured, or nothing was compared
	Unsettled    Conclusion = "undecided"             // a budget may be kept or exceeded: the runs are too small to tell
	Better       Conclusion = "better"                // a rate fell by more than chance, and none rose
	NoEvidence   Conclusion = "no evidence of change" // chance explains every difference
)

// Report is one comparison: every head against the base, all tests one family.
type Report struct {
	Schema     int        `json:"schema"`
	Conclusion Conclusion `json:"conclusion"`
	// Reasons say what the conclusion comes from, a line each.
	Reasons []string `json:"reasons,omitempty"`
	// Tests is how many rates could have shown something: the family of Holm.
	Tests int    `json:"tests"`
	Base  Side   `json:"base"`
	Pairs []Pair `json:"pairs"`
}

// Side is one run of a comparison.
type Side struct {
	Run      string `json:"run"`
	Script   string `json:"script"`
	Seed     uint64 `json:"seed"`
	Revision string `json:"revision,omitempty"`
	Rollouts int    `json:"rollouts"` // in the arms that are judged
}

// Pair is one head against the base.
type Pair struct {
	Head Side `json:"head"`
	// Grounds are why the two cannot be compared; those that were put aside are in
	// Ignored.
	Grounds []Ground `json:"grounds,omitempty"`
	Ignored []Ground `json:"ignored,omitempty"`
	// Changed is what differs and may be the reason for a change.
	Changed []string `json:"changed,omitempty"`
	// Arms are those that both runs judge; none where there are grounds.
	Arms  []ArmChange  `json:"arms,omitempty"`
	Rules []RuleResult `json:"rules,omitempty"`
}

// ArmChange is what changed in one arm.
type ArmChange struct {
	Arm       string          `json:"arm"`
	Rates     []RateChange    `json:"rates"`
	Latencies []LatencyChange `json:"latencies"`

	rollouts int      // of the smaller side
	alone    []string // rates and latencies that one of the runs has not measured
}

// Compare compares every head with the base. Its error is that of an unknown ground.
func Compare(base *Measured, heads []*Measured, o Options) (*Report, error) {
	if err := checkGrounds(o.Ignore); err != nil {
		return nil, err
	}
	r := &Report{Schema: Schema, Base: side(base)}
	for _, head := range heads {
		pair := Pair{Head: side(head), Changed: changed(base, head)}
		for _, g := range apart(base, head) {
			if o.Force || slices.Contains(o.Ignore, g.Name) {
				pair.Ignored = append(pair.Ignored, g)
			} else {
				pair.Grounds = append(pair.Grounds, g)
			}
		}
		if len(pair.Grounds) == 0 {
			pair.Arms = armChanges(base, head)
		}
		r.Pairs = append(r.Pairs, pair)
	}
	r.test()
	for i := range r.Pairs {
		if p := &r.Pairs[i]; len(p.Grounds) == 0 {
			p.apply(o.Rules)
		}
	}
	r.conclude()
	return r, nil
}

func side(m *Measured) Side {
	s := Side{Run: m.Run, Script: m.Script, Seed: m.Seed, Revision: m.Revision}
	for _, a := range m.Arms {
		s.Rollouts += a.Rollouts
	}
	return s
}

func armChanges(base, head *Measured) (list []ArmChange) {
	for _, name := range pairs(base, head) {
		b, h := base.arm(name), head.arm(name)
		change := ArmChange{Arm: name, rollouts: min(b.Rollouts, h.Rollouts), alone: append(b.without(h), h.without(b)...)}
		for i := range b.Rates {
			if other := h.rate(b.Rates[i].Name); other != nil {
				change.Rates = append(change.Rates, rateChange(base.Seed, name, &b.Rates[i], other, b.Rollouts, h.Rollouts))
			}
		}
		for i := range b.Latencies {
			if other := h.latency(b.Latencies[i].Metric); other != nil {
				change.Latencies = append(change.Latencies, latencyChanges(&b.Latencies[i], other)...)
			}
		}
		list = append(list, change)
	}
	return list
}

// conclude says what everything together comes to.
func (r *Report) conclude() {
	found := map[Conclusion]bool{}
	note := func(c Conclusion, text string) {
		found[c] = true
		r.Reasons = append(r.Reasons, text)
	}
	for _, p := range r.Pairs {
		for _, g := range p.Grounds {
			note(Incomparable, p.Head.Run+": "+g.Text)
		}
		if len(p.Grounds) == 0 && len(p.Arms) == 0 {
			note(NoData, p.Head.Run+": it shares no judged arm with the base, and nothing was compared")
		}
		for _, rule := range p.Rules {
			switch rule.Outcome {
			case Broken:
				note(Worse, p.Head.Run+": "+rule.Text)
			case Unmeasured:
				note(NoData, p.Head.Run+": "+rule.Text)
			case Undecided:
				note(Unsettled, p.Head.Run+": "+rule.Text)
			}
		}
		for _, arm := range p.Arms {
			for _, c := range arm.Rates {
				switch {
				case c.Evidence == Rose && !c.Budgeted && !c.Neutral:
					note(Worse, p.Head.Run+": "+c.sentence(arm.Arm))
				case c.Evidence == Fell && !c.Neutral:
					note(Better, p.Head.Run+": "+c.sentence(arm.Arm))
				}
			}
		}
	}
	r.Conclusion = NoEvidence
	for _, c := range []Conclusion{Worse, Incomparable, NoData, Unsettled, Better} {
		if found[c] {
			r.Conclusion = c
			break
		}
	}
}

// ExitCode is 1 for what got worse, 2 for what could not be compared and for a budget
// of which nobody can say whether it is kept, and else 0.
func (r *Report) ExitCode() int {
	switch r.Conclusion {
	case Worse:
		return 1
	case Incomparable, NoData, Unsettled:
		return 2
	}
	return 0
}
