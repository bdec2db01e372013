package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mcpstorm/history"
)

// plot is a synthetic run in a few numbers: rollouts that begin at once and make
// one operation after another, with faults and retries in between.
type plot struct {
	rollouts int
	turns    int
	think    time.Duration // between operations, on average
	latency  time.Duration // of a good exchange, median
	// cut is the chance that the attempt which begins at a time is cut, and hold
	// how long a cut is felt before it is noticed.
	cut  func(at time.Duration) float64
	hold time.Duration
	// attempts is how many tries an operation has; 0 means 6.
	attempts int
	manners  []string
	rules    []history.PlanRule
	replays  int                            // in its verdict
	slow     func(at time.Duration) float64 // factor on the latency
	silent   bool                           // faults leave no receipt
}

func never(time.Duration) float64 { return 0 }

func always(p float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return p }
}

// within is a chance of p between two times, given in seconds.
func within(p, from, to float64) func(time.Duration) float64 {
	return func(at time.Duration) float64 {
		if s := at.Seconds(); from <= s && s < to {
			return p
		}
		return 0
	}
}

const armStart = 1500 * time.Millisecond

// run plays the plot out; the same plot gives the same run.
func (p plot) run() *history.Run {
	run := &history.Run{Manifest: history.Manifest{
		Schema: history.Schema, ID: "20261129T164512Z-7f3a", State: history.StateFinished, Seed: 42,
		Script: history.Script{Path: "scenarios/user-turns.js"}, Revision: "9aeb7c31f2d04b7c8a",
		Arms: []history.Arm{
			{Name: "control", Control: true},
			{
				Name: "main", Judge: true, Start: history.Instant(armStart),
				Policies: map[string]string{"sim": "settle", "tools": "settle"},
				Servers:  []history.Server{{Name: "sim", Reference: "usersim", Effects: true}, {Name: "tools", Reference: "ledger", Effects: true}},
			},
		},
	}}
	for _, r := range p.rules {
		r.Arm = "main"
		run.Plan = append(run.Plan, r)
	}
	if p.attempts == 0 {
		p.attempts = 6
	}
	if p.slow == nil {
		p.slow = always(1)
	}
	for i := range p.rollouts {
		p.rollout(run, i, rand.New(rand.NewPCG(7, uint64(i))))
	}
	slices.SortStableFunc(run.Ops, func(a, b history.Op) int { return int(a.End - b.End) })
	return run
}

func (p plot) rollout(run *history.Run, i int, chance *rand.Rand) {
	task := fmt.Sprintf("t%06d", i)
	now := armStart + time.Duration(chance.ExpFloat64()*float64(20*time.Millisecond))
	start := now
	outcome := history.Completed
	for step := range p.turns {
		op := history.Op{
			Arm: "main", Op: fmt.Sprintf("%s/s%02d", task, step+1), Rollout: task + ".1", Server: "sim",
			Kind: history.KindTurn, Tool: "respond", Class: history.Keyed, Key: fmt.Sprintf("seq:%d", step),
			Policy: "settle", Start: history.Instant(now),
		}
		now = p.operation(run, &op, now, chance)
		run.Ops = append(run.Ops, op)
		if op.Told != history.ToldOK {
			outcome = history.Failed
			break
		}
		now += time.Duration((0.5 + chance.Float64()) * float64(p.think))
	}
	run.Rollouts = append(run.Rollouts, history.Rollout{
		Arm: "main", Task: task, Rollout: task + ".1", Outcome: outcome, Start: history.Instant(start), End: history.Instant(now),
	})
}

// operation makes attempts until one is not cut, or none is left.
func (p plot) operation(run *history.Run, op *history.Op, now time.Duration, chance *rand.Rand) time.Duration {
	op.Told = history.ToldUnknown
	for n := 1; n <= p.attempts && op.Told != history.ToldOK; n++ {
		took := time.Duration(float64(p.latency) * math.Exp(0.5*chance.NormFloat64()) * p.slow(now-armStart))
		a := history.Attempt{
			Arm: "main", Op: op.Op, Rollout: op.Rollout, Attempt: n, Role: history.RoleCall, Exchange: 2, Server: op.Server,
			Told: history.ToldOK, Start: history.Instant(now),
		}
		cut := chance.Float64() < p.cut(now-armStart)
		if cut {
			a.Told = history.ToldUnknown
			took += p.hold
		}
		first := a
		first.Role, first.Exchange, first.Told, first.End = history.RoleInitialize, 1, history.ToldOK, first.Start+history.Instant(took/4)
		now += took
		a.End = history.Instant(now)
		run.Attempts = append(run.Attempts, first, a)
		op.Attempts = n
		if cut {
			p.receipt(run, a, chance)
			now += time.Duration(50+chance.IntN(150*n)) * time.Millisecond
		} else {
			op.Told = history.ToldOK
		}
	}
	op.End = history.Instant(now)
	return now
}

func (p plot) receipt(run *history.Run, a history.Attempt, chance *rand.Rand) {
	if p.silent {
		return
	}
	rule := "r01"
	for _, r := range p.rules {
		if from, to, ok := span(r); ok && from <= float64(a.Start)/1e9-armStart.Seconds() && float64(a.Start)/1e9-armStart.Seconds() < to {
			rule = r.Rule
		}
	}
	run.Faults = append(run.Faults, history.Fault{
		Arm: "main", Server: a.Server, Rule: rule, Op: a.Op, Attempt: a.Attempt, State: history.FaultDelivered,
		Cut: fmt.Sprintf("C%d", 1+chance.IntN(6)), Manner: p.manners[chance.IntN(len(p.manners))],
		At: a.End - history.Instant(p.hold),
	})
}

func span(r history.PlanRule) (from, to float64, ok bool) {
	if len(r.During) != 2 {
		return 0, 0, false
	}
	a, errA := time.ParseDuration(r.During[0])
	b, errB := time.ParseDuration(r.During[1])
	return a.Seconds(), b.Seconds(), errA == nil && errB == nil
}

var cuts = []string{"fin", "rst"}

// plots are the runs that the figures are looked at with.
var plots = map[string]plot{
	"quiet":  {rollouts: 128, turns: 7, think: time.Second, latency: 12 * time.Millisecond, cut: never},
	"storm":  {rollouts: 512, turns: 7, think: 1500 * time.Millisecond, latency: 12 * time.Millisecond, cut: always(0.17), manners: cuts},
	"burst":  {rollouts: 512, turns: 7, think: time.Second, latency: 12 * time.Millisecond, cut: within(0.7, 0, 0.8), manners: cuts},
	"hang":   {rollouts: 64, turns: 5, think: 2 * time.Second, latency: 30 * time.Millisecond, cut: within(1, 2, 3), attempts: 1, hold: 20 * time.Second, manners: []string{"hold"}},
	"second": {rollouts: 200, turns: 6, think: 150 * time.Millisecond, latency: 3 * time.Millisecond, cut: always(0.08), manners: cuts},
	"long": {
		rollouts: 50, turns: 300, think: 12 * time.Second, latency: 80 * time.Millisecond, manners: cuts,
		cut: func(at time.Duration) float64 { return 0.04 + 0.04*math.Sin(at.Minutes()/5) },
	},
	"failing": {rollouts: 64, turns: 4, think: time.Second, latency: 12 * time.Millisecond, cut: always(1), manners: cuts},
	"replays": {rollouts: 512, turns: 7, think: time.Second, latency: 12 * time.Millisecond, cut: always(0.3), attempts: 3, manners: cuts, replays: 9},
	"windows": {
		rollouts: 256, turns: 60, think: 3 * time.Second, latency: 40 * time.Millisecond, manners: cuts, attempts: 3,
		slow: func(at time.Duration) float64 { return 1 + 9*within(1, 30, 60)(at) },
		cut: func(at time.Duration) float64 {
			return within(0.3, 80, 105)(at) + within(0.65, 125, 150)(at)
		},
		rules: []history.PlanRule{
			{Rule: "r01", On: "sim", Toxic: "latency", Attributes: map[string]any{"latency": 250}, During: []string{"30s", "60s"}},
			{Rule: "r02", On: "sim", Cut: "C4", Manner: "rst", Share: 0.3, During: []string{"80s", "105s"}},
			{Rule: "r03", On: "sim", Cut: "C1", Manner: "fin", Share: 0.65, During: []string{"125s", "150s"}},
		},
	},
	"crowded": {
		rollouts: 128, turns: 12, think: 2 * time.Second, latency: 40 * time.Millisecond, manners: cuts, cut: always(0.1),
		rules: []history.PlanRule{
			{Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", Share: 0.1},
			{Rule: "r02", On: "sim", Cut: "C4", Manner: "rst", Share: 0.3, During: []string{"3s", "9s"}},
			{Rule: "r03", On: "sim", Cut: "C1", Manner: "fin", Share: 0.65, During: []string{"5s", "12s"}},
			{Rule: "r04", On: "sim", Cut: "C2", Manner: "fin", Share: 0.2, During: []string{"8s", "8.5s"}},
			{Rule: "r05", On: "sim", Cut: "C3", Manner: "fin", Share: 0.2, During: []string{"8.2s", "14s"}},
			{Rule: "r06", On: "sim", Cut: "C6", Manner: "rst", Share: 0.2, During: []string{"16s", "2m"}},
		},
	},
}
