package plan_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// blocks are two arms with the same two scenarios.
var blocks = map[int]string{0: "rollouts", 1: "probe", 2: "rollouts", 3: "probe"}

func newPlan(t rapid.TB, root seed.Root, rules ...plan.Rule) *plan.Plan {
	t.Helper()
	p, err := plan.New(rules, root, blocks)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func share(id string, share float64) plan.Rule {
	return plan.Rule{ID: id, On: "sim", Cut: plan.C4, Manner: plan.RST, At: history.RoleCall, Share: share, Attempts: 2}
}

func call(task, step string, attempt int) plan.Exchange {
	return plan.Exchange{
		Server: "sim", Role: history.RoleCall,
		Ref: wire.OpRef{Task: task, Restart: 1, Step: step, Attempt: attempt},
	}
}

// calls are the first calls of n tasks of one block.
func calls(block, n int) []plan.Exchange {
	var out []plan.Exchange
	for i := range n {
		out = append(out, call(wire.TaskID(block, int64(i)), "s02", 1))
	}
	return out
}

func marks(p *plan.Plan, xs []plan.Exchange) []bool {
	var out []bool
	for _, x := range xs {
		_, ok := p.Decide(x)
		out = append(out, ok)
	}
	return out
}

func TestDecideScope(t *testing.T) {
	all := share("r01", 1)
	atSettle, atInit := all, all
	atSettle.At, atInit.At = history.RoleSettle, history.RoleInitialize
	listed := plan.Rule{ID: "r01", On: "sim", Cut: plan.C1, Manner: plan.FIN, At: history.RoleCall, Op: "t000017/s02", Attempt: 2}
	with := func(x plan.Exchange, role history.ExchangeRole) plan.Exchange { x.Role = role; return x }
	tests := []struct {
		name string
		rule plan.Rule
		x    plan.Exchange
		want bool
	}{
		{"in scope", all, call("t000017", "s02", 1), true},
		{"second attempt", all, call("t000017", "s02", 2), true},
		{"attempt beyond the bound", all, call("t000017", "s02", 3), false},
		{"another server", all, plan.Exchange{Server: "tools", Role: "call", Ref: call("t000017", "s02", 1).Ref}, false},
		{"another role", all, with(call("t000017", "s02", 1), history.RoleInitialize), false},
		{"no role", all, with(call("t000017", "s02", 1), ""), false},
		{"a task of no block", all, call("t9000017", "s02", 1), false},
		{"no task", all, call("", "s02", 1), false},
		{"settling is no step of its own", all, call("t000017", "s02.settle", 1), false},
		{"opening a session to settle", atInit, with(call("t000017", "s02.settle", 1), history.RoleInitialize), false},
		{"settling, asked for", atSettle, with(call("t000017", "s02.settle", 1), history.RoleSettle), true},
		{"nothing of a share of zero", share("r01", 0), call("t000017", "s02", 1), false},
		{"listed", listed, call("t000017", "s02", 2), true},
		{"listed, in another arm", listed, call("t2000017", "s02", 2), true},
		{"listed, another scenario", listed, call("t1000017", "s02", 2), false},
		{"listed, another attempt", listed, call("t000017", "s02", 1), false},
		{"listed, another step", listed, call("t000017", "s03", 2), false},
		{"listed, what the client adds", plan.Rule{ID: "r01", On: "sim", Cut: plan.C1, Manner: plan.FIN, At: "initialize", Op: "t000017/s02.settle", Attempt: 1}, with(call("t000017", "s02.settle", 1), "initialize"), false},
		{"toxics mark nothing", plan.Rule{ID: "r01", On: "sim", Toxic: "latency", At: "call", Share: 1, Attempts: 2}, call("t000017", "s02", 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := newPlan(t, 1, tt.rule).Decide(tt.x)
			if ok != tt.want {
				t.Fatalf("Decide = %v, want %v", ok, tt.want)
			}
			d.Draw = 0
			if want := (plan.Decision{Rule: "r01", Cut: tt.rule.Cut, Manner: tt.rule.Manner}); ok && d != want {
				t.Errorf("Decide = %+v, want %+v", d, want)
			}
		})
	}
}

func TestNewRefusesAnOpOfNoScenario(t *testing.T) {
	_, err := plan.New([]plan.Rule{{ID: "r01", On: "sim", Op: "t9000001/s02", Attempt: 1}}, 1, blocks)
	if !errors.Is(err, plan.ErrRule) {
		t.Fatalf("New = %v, want ErrRule", err)
	}
}

func TestFirstMarkWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := share("r01", rapid.Float64Range(0, 1).Draw(t, "first"))
		second := share("r02", rapid.Float64Range(0, 1).Draw(t, "second"))
		root := seed.Root(rapid.Uint64().Draw(t, "root"))
		both := newPlan(t, root, first, second)
		alone := []*plan.Plan{newPlan(t, root, first), newPlan(t, root, second)}
		for _, x := range calls(0, 50) {
			want, ok := alone[0].Decide(x)
			if !ok {
				want, ok = alone[1].Decide(x)
			}
			if got, marked := both.Decide(x); marked != ok || got != want {
				t.Fatalf("%v: both rules give %+v %v, the first that marks gives %+v %v", x.Ref, got, marked, want, ok)
			}
		}
	})
}

// TestFirstDeclaredWins holds a mixture of listed and share rules to a plain walk
// through the declarations.
func TestFirstDeclaredWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := seed.Root(rapid.Uint64().Draw(t, "root"))
		var rules []plan.Rule
		var alone []*plan.Plan
		for i := range rapid.IntRange(1, 12).Draw(t, "rules") {
			r := share(fmt.Sprintf("r%02d", i+1), 0.3)
			if rapid.Bool().Draw(t, "listed") {
				r.Share, r.Attempts, r.Attempt = 0, 0, 1
				r.Op = wire.TaskID(0, rapid.Int64Range(0, 9).Draw(t, "task")) + "/s02"
			}
			rules, alone = append(rules, r), append(alone, newPlan(t, root, r))
		}
		all := newPlan(t, root, rules...)
		for _, x := range calls(0, 10) {
			var want plan.Decision
			for _, p := range alone {
				if d, ok := p.Decide(x); ok {
					want = d
					break
				}
			}
			if got, _ := all.Decide(x); got != want {
				t.Fatalf("%v: %+v, want %+v", x.Ref, got, want)
			}
		}
	})
}

func TestMarksDoNotDependOnOrderRestartOrArm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := seed.Root(rapid.Uint64().Draw(t, "root"))
		p := newPlan(t, root, share("r01", 0.4))
		xs := calls(0, 40)
		want := make(map[string]bool, len(xs))
		for i, ok := range marks(p, xs) {
			want[xs[i].Ref.Task] = ok
		}
		again := newPlan(t, root, share("r01", 0.4))
		for _, x := range rapid.Permutation(xs).Draw(t, "order") {
			task := x.Ref.Task
			x.Ref.Restart = rapid.IntRange(1, 5).Draw(t, "restart")
			if _, ok := again.Decide(x); ok != want[task] {
				t.Fatalf("%v is decided differently in another order or restart", x.Ref)
			}
			_, iteration, _ := wire.SplitTask(task)
			x.Ref.Task = wire.TaskID(2, iteration)
			if _, ok := again.Decide(x); ok != want[task] {
				t.Fatalf("%v is decided differently in another arm", x.Ref)
			}
		}
	})
}

func TestMarksDiffer(t *testing.T) {
	xs := calls(0, 200)
	base := marks(newPlan(t, 1, share("r01", 0.5)), xs)
	others := map[string][]bool{
		"another seed":     marks(newPlan(t, 2, share("r01", 0.5)), xs),
		"another rule":     marks(newPlan(t, 1, share("r02", 0.5)), xs),
		"another scenario": marks(newPlan(t, 1, share("r01", 0.5)), calls(1, 200)),
	}
	for name, other := range others {
		if cmp.Equal(base, other) {
			t.Errorf("%s gives the same 200 marks", name)
		}
	}
}

// TestShareFrequency bounds the marked number by five standard deviations, for
// several seeds.
func TestShareFrequency(t *testing.T) {
	const n = 4000
	for _, s := range []float64{0.01, 0.15, 0.5, 0.97} {
		for root := range seed.Root(5) {
			count := 0
			for _, ok := range marks(newPlan(t, root, share("r01", s)), calls(0, n)) {
				if ok {
					count++
				}
			}
			if off := math.Abs(float64(count) - n*s); off > 5*math.Sqrt(n*s*(1-s)) {
				t.Errorf("share %v, seed %d: %d of %d marked", s, root, count, n)
			}
		}
	}
}

func TestDecideFromManyGoroutines(t *testing.T) {
	p := newPlan(t, 7, share("r01", 0.3), share("r02", 0.3))
	xs := calls(0, 500)
	want := marks(p, xs)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !cmp.Equal(want, marks(p, xs)) {
				t.Error("the marks differ between goroutines")
			}
		})
	}
	wg.Wait()
}

func BenchmarkDecide(b *testing.B) {
	p := newPlan(b, 1, share("r01", 0.1), share("r02", 0.1))
	x := call("t000017", "s02", 1)
	for b.Loop() {
		p.Decide(x)
	}
}

// BenchmarkDecideOfAList asks a plan of the size of a stored one.
func BenchmarkDecideOfAList(b *testing.B) {
	var rules []plan.Rule
	for i := range int64(5000) {
		rules = append(rules, plan.Rule{ID: fmt.Sprintf("r%02d", i+1), On: "sim", Cut: plan.C4, Manner: plan.RST, At: history.RoleCall, Op: wire.TaskID(0, i) + "/s02", Attempt: 1})
	}
	p := newPlan(b, 1, rules...)
	x := call("t004999", "s02", 1)
	for b.Loop() {
		p.Decide(x)
	}
}
