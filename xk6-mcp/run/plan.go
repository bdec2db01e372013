package run

import (
	"context"
	"slices"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/reports"
	"mcpstorm/toxics/plan"
)

// Supposed are the rollouts for which a plan is shown: its marks follow from ids
// alone, and what a script does is known only when it runs.
type Supposed struct {
	Rollouts int // of each scenario, at most as many as it plans; 1 or more
	Ops      int // of each rollout, the opening of a session included; 1 or more
}

// Plan loads a script as Run does, and returns what would break when, without
// starting anything. An error is an *Error, with the exit code that Run would have
// had.
func Plan(ctx context.Context, o Options, s Supposed) (*reports.Schedule, error) {
	r := newRun(o)
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	if r.storm == nil {
		return nil, &Error{ExitOptions, r.noStorm()}
	}
	out := &reports.Schedule{Script: o.Script, Seed: uint64(o.Seed)}
	for _, a := range r.arms {
		out.Arms = append(out.Arms, a.schedule(s))
	}
	return out, nil
}

// schedule is the arm's plan, and what it marks of what is supposed.
func (a *arm) schedule(s Supposed) reports.ArmSchedule {
	out := reports.ArmSchedule{Arm: a.manifest(), Rules: a.plan.Records(a.spec.Name), Notes: a.planNotes(), Ops: s.Ops}
	m := newMarker(a.plan)
	for _, scenario := range a.parent.scenarios() {
		n := int64(s.Rollouts)
		if planned := scenario.Planned(); planned >= 0 {
			n = min(n, planned)
		}
		out.Rollouts = max(out.Rollouts, int(n))
		for i := range n {
			if scenario.Picked != nil {
				i = scenario.Picked[i]
			}
			m.rollout(wire.TaskID(a.blocks[scenario.Name], i), s.Ops)
		}
	}
	out.Marked, out.Marks = m.counts, m.marks
	return out
}

// marker asks a plan about supposed rollouts.
type marker struct {
	plan     *plan.Plan
	kinds    []exchangeKind
	attempts int               // the most that a rule marks
	of       map[string]int    // rule → where its counts stand
	about    map[string][]bool // rule → which kinds it is about
	counts   []reports.RuleMarks
	marks    []reports.ScheduledMark
}

// exchangeKind is an exchange that some rule is about.
type exchangeKind struct {
	server, tool string
	role         history.ExchangeRole
}

func newMarker(p *plan.Plan) *marker {
	m := &marker{plan: p, of: map[string]int{}, about: map[string][]bool{}}
	rules := p.Rules()
	m.kinds = exchangeKinds(rules)
	for _, rule := range rules {
		m.attempts = max(m.attempts, rule.Attempts, rule.Attempt)
	}
	for _, rule := range rules {
		if _, known := m.of[rule.ID]; known || rule.At == "" {
			continue
		}
		m.of[rule.ID] = len(m.counts)
		m.counts = append(m.counts, reports.RuleMarks{Rule: rule.ID, Marked: make([]int, m.attempts)})
		for _, k := range m.kinds {
			about := k.server == rule.On && k.role == rule.At && (rule.Tool == "" || rule.Tool == k.tool)
			m.about[rule.ID] = append(m.about[rule.ID], about)
		}
	}
	return m
}

// exchangeKinds are those that rules are about. Where some name a tool, every call
// is supposed to be of one of those.
func exchangeKinds(rules []plan.Rule) (kinds []exchangeKind) {
	named := map[exchangeKind]bool{}
	for _, rule := range rules {
		if k := (exchangeKind{rule.On, rule.Tool, rule.At}); rule.At != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
			named[exchangeKind{rule.On, "", rule.At}] = named[exchangeKind{rule.On, "", rule.At}] || rule.Tool != ""
		}
	}
	return slices.DeleteFunc(kinds, func(k exchangeKind) bool { return k.tool == "" && named[k] })
}

// rollout asks about every exchange of one supposed rollout.
func (m *marker) rollout(task string, ops int) {
	for step := 1; step <= ops; step++ {
		for i, k := range m.kinds {
			if step == 1 && k.role == history.RoleCall {
				continue // a connect calls no tool
			}
			for rule, about := range m.about {
				if about[i] {
					m.counts[m.of[rule]].Of++
				}
			}
			for attempt := 1; attempt <= m.attempts; attempt++ {
				m.exchange(wire.OpRef{Task: task, Restart: 1, Step: wire.StepID(step), Attempt: attempt}, k)
			}
		}
	}
}

// exchange asks about one exchange.
func (m *marker) exchange(ref wire.OpRef, k exchangeKind) {
	d, ok := m.plan.Decide(plan.Exchange{Server: k.server, Ref: ref, Role: k.role, Tool: k.tool})
	if !ok {
		return
	}
	m.counts[m.of[d.Rule]].Marked[ref.Attempt-1]++
	m.marks = append(m.marks, reports.ScheduledMark{
		Op: ref.Op(), Attempt: ref.Attempt, Role: k.role, Server: k.server, Tool: k.tool,
		Mark: history.Mark{Rule: d.Rule, Cut: d.Cut, Manner: d.Manner},
	})
}
