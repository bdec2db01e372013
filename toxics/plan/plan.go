package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
)

// Exchange is what a decision is taken about: one HTTP request of an attempt.
type Exchange struct {
	Server string // the server's name in the script
	Ref    wire.OpRef
	Role   history.ExchangeRole
	Tool   string // of a tool call; empty where it is none, or not known
}

// Decision is the mark on one exchange.
type Decision struct {
	Rule   string
	Cut    string
	Manner string
	Detail
	// Draw is the number in [0, 1) that the seed drew for this mark, by which a ramp
	// arms it. Zero for a listed one.
	Draw float64
}

// Plan is a list of rules under one seed. It is immutable; all methods may be
// called from any goroutine.
type Plan struct {
	rules   []Rule
	root    seed.Root
	blocks  map[int]string
	windows map[string]Window // of each rule, by its id

	shares []int        // where the share rules stand among the rules, in order
	listed map[spot]int // where the first rule that lists an exchange stands
	sweep  *history.Sweep
}

// spot is one exchange that a rule can list.
type spot struct {
	server, task, step string // the task by its key
	attempt            int
	role               history.ExchangeRole
}

// New makes a plan. The blocks say which scenario owns which block of task
// numbers, over all arms of the run: a mark is bound to (scenario, iteration)
// and not to the task's number, so that every arm meets the same plan. It is an
// error wrapping ErrRule if a listed operation belongs to no block.
func New(rules []Rule, root seed.Root, blocks map[int]string) (*Plan, error) {
	p := &Plan{
		root: root, blocks: blocks,
		windows: make(map[string]Window), listed: make(map[spot]int),
	}
	for _, r := range rules {
		p.rules = append(p.rules, p.resolve(r)...)
	}
	for i := range p.rules {
		r := &p.rules[i]
		p.windows[r.ID] = r.During
		switch {
		case r.Toxic != "" || r.ofConnections(): // these mark no exchange
		case r.Op == "":
			p.shares = append(p.shares, i)
		default:
			if err := p.list(i, r); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// resolve is what a rule stands for: itself, or the listed faults of a sweep. Every
// scenario sweeps by itself; the iterations beyond the last case meet no fault.
func (p *Plan) resolve(r Rule) []Rule {
	if r.Sweep == nil {
		return []Rule{r}
	}
	cases, count := r.Sweep.Cases(p.root, r.At)
	p.sweep = &count
	var list []Rule
	for _, block := range p.firstBlocks() {
		for i, c := range cases {
			for _, f := range c {
				list = append(list, Rule{
					ID: r.ID, On: r.On, Cut: f.Cut, Manner: f.Manner, At: r.At,
					During: r.During, Op: wire.TaskID(block, int64(i)) + "/" + f.Step, Attempt: f.Attempt, Case: i + 1,
				})
			}
		}
	}
	return list
}

// firstBlocks are the lowest blocks of each scenario, in order: tasks are listed
// by them, and meant in every arm.
func (p *Plan) firstBlocks() []int {
	lowest := map[string]int{}
	for block, scenario := range p.blocks {
		if other, ok := lowest[scenario]; !ok || block < other {
			lowest[scenario] = block
		}
	}
	return slices.Sorted(maps.Values(lowest))
}

// Sweep is what a systematic plan is made of, or nil.
func (p *Plan) Sweep() *history.Sweep { return p.sweep }

// list takes note of a rule that lists one exchange.
func (p *Plan) list(i int, r *Rule) error {
	task, step, _ := strings.Cut(r.Op, "/")
	key, ok := p.taskKey(task)
	if !ok {
		return fmt.Errorf("%w %s: op %q is of no scenario of this run", ErrRule, r.ID, r.Op)
	}
	at := spot{r.On, key, step, r.Attempt, r.At}
	if _, taken := p.listed[at]; !taken && inScope(r, step) {
		p.listed[at] = i
	}
	return nil
}

// Decide says whether an exchange is marked, and how. The first rule that marks
// it wins, whether its window is open or not. The rollout's restart number plays
// no part.
func (p *Plan) Decide(x Exchange) (Decision, bool) {
	task, ok := p.taskKey(x.Ref.Task)
	if !ok {
		return Decision{}, false
	}
	draw := 0.0
	first, found := p.listed[spot{x.Server, task, x.Ref.Step, x.Ref.Attempt, x.Role}]
	for _, i := range p.shares {
		if found && first < i {
			break
		}
		if drawn, ok := p.marks(&p.rules[i], task, x); ok {
			first, found, draw = i, true, drawn
			break
		}
	}
	if !found {
		return Decision{}, false
	}
	r := &p.rules[first]
	return Decision{Rule: r.ID, Cut: r.Cut, Manner: r.Manner, Detail: r.Detail, Draw: draw}, true
}

// Window is when the marks of a rule are armed. A rule that the plan does not
// have is always armed.
func (p *Plan) Window(rule string) Window { return p.windows[rule] }

// Rules are the rules, in order of declaration. The slice belongs to the caller.
func (p *Plan) Rules() []Rule { return slices.Clone(p.rules) }

// Records are the rules as plan.ndjson holds them, for one arm.
func (p *Plan) Records(arm string) []history.PlanRule {
	out := make([]history.PlanRule, 0, len(p.rules))
	for _, r := range p.rules {
		out = append(out, r.record(arm))
	}
	return out
}

// inScope keeps rules off the work that a client adds to an operation, such as
// the exchanges of t000017/s02.settle, unless they ask for it.
func inScope(r *Rule, step string) bool {
	return !strings.Contains(step, ".") || r.At == history.RoleSettle || r.At == history.RoleLookup
}

// marks takes the decision of one share rule, and gives the number that was drawn
// for it.
func (p *Plan) marks(r *Rule, task string, x Exchange) (draw float64, ok bool) {
	switch {
	case r.On != x.Server, r.At != x.Role, !inScope(r, x.Ref.Step), x.Ref.Attempt > r.Attempts:
		return 0, false
	case r.Tool != "" && r.Tool != x.Tool, r.First > 0 && stepNumber(x.Ref.Step) > r.First:
		return 0, false
	}
	draw = p.root.Unit("mark", r.ID, task, x.Ref.Step, strconv.Itoa(x.Ref.Attempt), string(x.Role))
	return draw, draw < r.Share
}

// stepNumber is which of a rollout's operations a step belongs to: 2 for s02 and
// for s02.settle.
func stepNumber(step string) int {
	own, _, _ := strings.Cut(step, ".")
	n, err := strconv.Atoi(strings.TrimPrefix(own, "s"))
	if err != nil {
		return math.MaxInt
	}
	return n
}

// taskKey is what a task is in every arm: its scenario and iteration.
func (p *Plan) taskKey(task string) (string, bool) {
	block, iteration, err := wire.SplitTask(task)
	if err != nil {
		return "", false
	}
	scenario, ok := p.blocks[block]
	return scenario + "/" + strconv.FormatInt(iteration, 10), ok
}
