package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/history"
)

// drawRun is any small history of one arm: records that fit together and some that
// do not.
func drawRun(t *rapid.T) *history.Run {
	arm := history.Arm{Name: "main", Judge: true, Start: 7e8, End: 9e9}
	for _, name := range []string{"sim", "tools"} {
		arm.Servers = append(arm.Servers, history.Server{Name: name, Effects: rapid.Bool().Draw(t, "effects")})
	}
	if rapid.Bool().Draw(t, "heal") {
		arm.Heal = &history.Heal{At: 6 * time.Second}
	}
	run := &history.Run{Manifest: history.Manifest{ID: "r1", State: history.StateFinished, Arms: []history.Arm{arm}}}
	instant := rapid.Custom(func(t *rapid.T) history.Instant { return history.Instant(rapid.Int64Range(0, 12e9).Draw(t, "at")) })
	server := rapid.SampledFrom([]string{"sim", "tools", "other"})
	told := rapid.SampledFrom([]history.Told{history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone, ""})
	class := rapid.SampledFrom([]history.ReplayClass{history.ReadOnly, history.Keyed, history.Unsafe, ""})
	for range rapid.IntRange(0, 40).Draw(t, "operations") {
		task := fmt.Sprintf("t%06d", rapid.IntRange(1, 5).Draw(t, "task"))
		op := history.Op{
			Arm: "main", Op: fmt.Sprintf("%s/s%02d", task, rapid.IntRange(1, 4).Draw(t, "step")), Rollout: task + ".1",
			Server: server.Draw(t, "server"), Kind: history.KindTool, Tool: "append", Class: class.Draw(t, "class"), Told: told.Draw(t, "told"),
			Key:      rapid.SampledFrom([]string{"", "seq:1", "args:d#1", "args:d#2", "arg:x"}).Draw(t, "key"),
			Attempts: rapid.IntRange(0, 3).Draw(t, "attempts"), Start: instant.Draw(t, "start"), End: instant.Draw(t, "end"),
			Interrupted: rapid.IntRange(0, 9).Draw(t, "interrupted") == 0,
		}
		run.Ops = append(run.Ops, op)
		for n := range op.Attempts {
			run.Attempts = append(run.Attempts, history.Attempt{
				Arm: "main", Op: op.Op, Rollout: op.Rollout, Server: op.Server, Attempt: n + 1, Role: history.RoleCall,
				Told: told.Draw(t, "told"), Start: op.Start, End: instant.Draw(t, "ended"),
			})
		}
		if rapid.Bool().Draw(t, "commit") {
			run.Effects = append(run.Effects, history.Effect{Arm: "main", Server: op.Server, Kind: history.EffectCommit, Rollout: op.Rollout, Key: op.Key})
		}
		if rapid.Bool().Draw(t, "struck") {
			run.Faults = append(run.Faults, history.Fault{
				Arm: "main", Server: op.Server, Rule: rapid.SampledFrom([]string{"r01", "r02"}).Draw(t, "rule"), Rollout: op.Rollout,
				Op:  rapid.SampledFrom([]string{op.Op, ""}).Draw(t, "named"),
				Cut: rapid.SampledFrom([]string{"C1", "C4", "burst"}).Draw(t, "cut"), Manner: "rst", Role: history.RoleCall,
				State: history.FaultDelivered, At: instant.Draw(t, "cut at"),
			})
		}
	}
	run.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "sim", Cut: "C1", Manner: "rst", During: rapid.SampledFrom([][]string{
		nil, {"1s", "2s"}, {"3s"}, {"start"}, {"5s", "9s"},
	}).Draw(t, "during")}}
	return run
}

// Whatever the records say, every operation is in one phase and in one delivery, and
// no figure is given a number that is none.
func TestMeasuresOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		arm := &run.Manifest.Arms[0]
		measured := 0
		for i := range run.Ops {
			if !run.Ops[i].Interrupted {
				measured++
			}
		}
		checkLatencies(t, measureLatency(run, arm), measured)
		checkBars(t, run, arm)
		checkMap(t, measureFaultMap(run, arm))
		for _, row := range measureComebacks(run, Options{}).rows {
			for _, c := range row.times {
				if c.took < 0 || c.after < 0 || c.of <= 0 {
					t.Errorf("a comeback is %+v", c)
				}
			}
		}
		if rapid.IntRange(0, 5).Draw(t, "draw") > 0 { // it takes much longer than measuring
			return
		}
		for _, draw := range []func(*history.Run, Options) (*Figure, error){Timeline, Latency, Outcomes, FaultMap, Recovery} {
			f, err := draw(run, Options{})
			if err != nil {
				if !IsEmpty(err) {
					t.Error(err)
				}
				continue
			}
			f.drawOn(&finite{t: t})
		}
	})
}

func checkLatencies(t *rapid.T, l *latencies, measured int) {
	sum := 0
	for i := range l.lines {
		line := &l.lines[i]
		sum += line.of
		last := 0.0
		for q := 0.0; q <= 1; q += 0.01 {
			v := line.at(q)
			if v < last || v <= 0 || math.IsNaN(v) {
				t.Errorf("%s: the share %g is answered within %g, a smaller one within %g", line.name, q, v, last)
			}
			last = v
		}
	}
	if sum > measured || len(l.few) == 0 && sum != measured {
		t.Errorf("%d operations in all phases, %d there are", sum, measured)
	}
}

func checkBars(t *rapid.T, run *history.Run, arm *history.Arm) {
	b := measureOutcomes(run, arm)
	keyed := 0
	for _, op := range asked(run, arm) {
		if op.Key != "" {
			keyed++
		}
	}
	calm := 0
	for _, row := range append(b.rows, b.all) {
		sum := 0
		for _, n := range row.counts {
			sum += n
		}
		if sum != row.of || row.of == 0 && row.cut != "" {
			t.Errorf("the parts of %q come to %d, not to %d", row.cut, sum, row.of)
		}
	}
	if n := len(b.rows); n > 0 && b.rows[n-1].cut == "" {
		calm = b.rows[n-1].of
	}
	if calm+b.all.of != keyed {
		t.Errorf("%d operations struck and %d not, of %d", b.all.of, calm, keyed)
	}
}

func checkMap(t *rapid.T, m *faultMap) {
	for at, r := range m.cells {
		if r.of <= 0 || r.failed > r.of || !slices.Contains(m.cuts, at.cut) || !slices.Contains(m.places, at.at) {
			t.Errorf("the cell %v holds %v", at, r)
		}
	}
}

func TestPhaseOf(t *testing.T) {
	faulty := joined([]stretch{{from: 20, to: 30}, {from: 50, to: 50}, {from: 10, to: 22}})
	if diff := cmp.Diff([]stretch{{from: 10, to: 30}, {from: 50, to: 50}}, faulty, cmp.AllowUnexported(stretch{})); diff != "" {
		t.Fatalf("joined (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		from, to time.Duration
		want     phase
	}{
		{0, 9, phaseBefore},
		{0, 10, phaseDuring},
		{0, 99, phaseDuring},
		{30, 40, phaseDuring},
		{31, 49, phaseAfter},
		{49, 51, phaseDuring},
		{51, 60, phaseAfter},
	} {
		if got := phaseOf(faulty, c.from, c.to); got != c.want {
			t.Errorf("from %d to %d is in phase %d, want %d", c.from, c.to, got, c.want)
		}
	}
	if phaseOf(nil, 5, 6) != phaseBefore {
		t.Error("without faults something is not before them")
	}
}

func TestDueTimes(t *testing.T) {
	const options = `{"scenarios":{
		"flat":{"rate":20,"timeUnit":"2s","duration":"10s"},
		"ramp":{"startRate":0,"timeUnit":"1s","stages":[{"duration":"10s","target":10},{"duration":"5s","target":10},{"duration":"0s","target":40},{"duration":"1s","target":40}]},
		"broken":{"rate":20,"duration":"soon"}}}`
	run := &history.Run{Manifest: history.Manifest{Options: json.RawMessage(options)}}
	arm := &history.Arm{Name: "main", Scenarios: []history.Scenario{
		{Name: "flat", Executor: "constant-arrival-rate"},
		{Name: "ramp", Executor: "ramping-arrival-rate"},
		{Name: "broken", Executor: "constant-arrival-rate"},
		{Name: "other", Executor: "constant-vus"},
	}}
	for _, scenario := range []string{"flat", "ramp"} {
		run.Rollouts = append(run.Rollouts,
			history.Rollout{Arm: "main", Scenario: scenario, Iteration: 0, Start: 5_003e6}, // 3 ms late
			history.Rollout{Arm: "control", Scenario: scenario, Iteration: 0, Start: 1},
		)
	}
	run.Rollouts = append(run.Rollouts, history.Rollout{Arm: "main", Scenario: "flat", Iteration: 10, Start: 6_001e6}) // 1 ms late
	got := schedules(run, arm)
	if len(got) != 2 {
		t.Fatalf("schedules of %d scenarios", len(got))
	}
	for _, c := range []struct {
		scenario string
		k        int64
		want     time.Duration // since 5 s
	}{
		{"flat", 0, time.Millisecond},
		{"flat", 10, 1001 * time.Millisecond},
		{"flat", 99, 9901 * time.Millisecond},
		{"ramp", 50, 10_003 * time.Millisecond},
		{"ramp", 60, 11_003 * time.Millisecond},
		{"ramp", 2, 2_003 * time.Millisecond},
		{"ramp", 104, 15_103 * time.Millisecond},
	} {
		due := time.Duration(got[c.scenario].due(c.k)) - 5*time.Second
		if (due - c.want).Abs() > time.Microsecond {
			t.Errorf("%s: arrival %d is due at %v, want %v", c.scenario, c.k, due, c.want)
		}
	}
	run.Manifest.Options = json.RawMessage(`{`)
	if schedules(run, arm) != nil {
		t.Error("broken options have schedules")
	}
}

func TestComeBack(t *testing.T) {
	const bin, until = 100, 1000
	list := func(times ...time.Duration) (out []outcome) { // of those that failed, among many that did not
		for at := time.Duration(1); at < 1200; at++ {
			out = append(out, outcome{at - 5, at, slices.Contains(times, at)})
		}
		return out
	}
	faulty := stretch{from: 100, to: 200}
	for _, c := range []struct {
		name     string
		outcomes []outcome
		faulty   stretch
		want     comeback
	}{
		{"nothing was asked", nil, faulty, comeback{after: 200, few: true}},
		{"at once", list(150, 200), faulty, comeback{after: 200, of: 799}},
		{"one failure in a hundred is the objective", list(350, 499), faulty, comeback{after: 200, of: 799}},
		{"two in one bin", list(250, 260), faulty, comeback{after: 200, took: 60, of: 799}},
		{"two in two bins", list(250, 260, 420, 440), faulty, comeback{after: 200, took: 240, of: 799}},
		{"to the end", list(990, 995), faulty, comeback{after: 200, took: 795, open: true, of: 799}},
		{"what comes later counts no more", list(1001, 1002), faulty, comeback{after: 200, of: 799}},
		{"one that a loose fault had struck", list(202, 203), stretch{to: 200, loose: true}, comeback{after: 200, of: 794}},
		{"too few", []outcome{{190, 300, false}}, faulty, comeback{after: 200, of: 1, few: true}},
		{"one that failed", []outcome{{190, 300, true}}, faulty, comeback{after: 200, took: 100, open: true, of: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := comeBack(c.outcomes, c.faulty, until, bin, 0.01)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(comeback{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A map with more places than columns is counted more coarsely, and loses nothing.
func TestManyPlaces(t *testing.T) {
	run := &history.Run{Manifest: history.Manifest{Arms: []history.Arm{{Name: "main", Judge: true}}}}
	for i := range 60 {
		op := fmt.Sprintf("t%06d/s01", i)
		run.Ops = append(run.Ops, history.Op{Arm: "main", Op: op, Told: history.ToldOK})
		run.Faults = append(run.Faults, history.Fault{
			Arm: "main", Op: op, State: history.FaultDelivered, Cut: "C4", Manner: []string{"fin", "rst"}[i%2],
			Server: fmt.Sprintf("server-%d", i%20), Role: []history.ExchangeRole{history.RoleCall, history.RoleList, history.RoleGet}[i%3],
		})
	}
	m := measureFaultMap(run, &run.Manifest.Arms[0])
	sum := 0
	for _, r := range m.cells {
		sum += r.of
	}
	if len(m.places) != 6 || sum != 60 {
		t.Errorf("%d columns that hold %d operations", len(m.places), sum)
	}
}
