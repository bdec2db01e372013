package check_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

func evaluate(run *history.Run) history.Verdict { return check.Evaluate(run, check.Options{}) }

func TestRunStatus(t *testing.T) {
	good := func() *history.Run {
		return script{turns: "seq:1 ok n1", log: "commit seq:1 n1, answer seq:1 n1"}.run(t)
	}
	for _, c := range []struct {
		name   string
		status history.Status
		reason string
		change func(*history.Run)
	}{
		{"all holds", history.Pass, "exactly-once-turns, no-spurious-failure, truthful-outcome, isolation, blast-radius and no-hang hold", func(*history.Run) {}},
		{
			"one is violated", history.Fail, "exactly-once-turns is violated in 1 of 1 rollouts",
			func(r *history.Run) { r.Rollouts[0].Turns[0].Nonce = "other" },
		},
		{"violated and not covered is violated", history.Fail, "exactly-once-turns is violated", func(r *history.Run) {
			r.Rollouts[0].Turns[0].Nonce = "other"
			r.Manifest.State = history.StateStopped
		}},
		{"not covered", history.Inconclusive, "coverage does not hold: state: the run was stopped", func(r *history.Run) { r.Manifest.State = history.StateStopped }},
		{"named and not evaluated", history.Inconclusive, "exactly-once-turns, which the script names, is not evaluated", func(r *history.Run) {
			r.Manifest.Arms[0].Servers[0].Effects = false
			r.Manifest.Named = []string{"exactly-once-turns"}
		}},
		{"not evaluated and not named", history.Pass, "isolation, blast-radius and no-hang hold", func(r *history.Run) { r.Manifest.Arms[0].Servers[0].Effects = false }},
		{"named and without data", history.Inconclusive, "no-leak, which the script names, is not evaluated: no process recorded what it held", func(r *history.Run) {
			r.Manifest.Assert = []string{"no-leak", "exactly-once-turns"}
			r.Manifest.Named = []string{"no-leak"}
		}},
		{"named and unknown to this version", history.Inconclusive, "no-doubt, which the script names, is not evaluated: this version has no such", func(r *history.Run) {
			r.Manifest.Assert = []string{"no-doubt", "exactly-once-turns"}
			r.Manifest.Named = []string{"no-doubt"}
		}},
		{"nothing evaluated", history.Inconclusive, "coverage does not hold: interrupted: rollouts: 1 of 1 rollout interrupted", func(r *history.Run) {
			r.Ops[0].Key, r.Ops[0].Told, r.Ops[0].Interrupted = "", history.ToldNone, true
			r.Effects, r.Rollouts[0].Turns = nil, nil
			r.Rollouts[0].Outcome = history.Interrupted
		}},
		{"no judged arm", history.Inconclusive, "no invariant could be evaluated", func(r *history.Run) { r.Manifest.Arms[0].Control = true }},
		{"an empty history", history.Inconclusive, "coverage does not hold", func(r *history.Run) {
			m := r.Manifest
			*r = history.Run{Manifest: m}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := good()
			c.change(run)
			v := evaluate(run)
			if v.Status != c.status || !strings.Contains(v.Reason, c.reason) {
				t.Errorf("got %q: %s\nwant %q: %s", v.Status, v.Reason, c.status, c.reason)
			}
		})
	}
}

// everything is every invariant that is known, in order.
const everything = "coverage exactly-once-turns no-unsafe-replay no-spurious-failure truthful-outcome isolation blast-radius bounded-retry no-hang no-leak recovery"

func TestWhatIsJudged(t *testing.T) {
	for _, c := range []struct {
		name    string
		asserts string
		options check.Options
		want    string
	}{
		{"everything by default", "", check.Options{}, everything},
		{"what the manifest names, and the two that are always in", "truthful-outcome", check.Options{}, "coverage truthful-outcome no-hang"},
		{"only", "truthful-outcome", check.Options{Only: []string{"exactly-once-turns"}}, "coverage exactly-once-turns no-hang"},
		{"all wins over only", "truthful-outcome", check.Options{All: true, Only: []string{"no-hang"}}, everything},
		{"an unknown one is listed", "", check.Options{Only: []string{"no-doubt", "no-doubt"}}, "coverage no-hang no-doubt"},
		{"all keeps the unknown of the manifest", "no-doubt", check.Options{All: true}, everything + " no-doubt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := emptyRun()
			run.Manifest.Assert = strings.Fields(c.asserts)
			var ids []string
			for _, inv := range check.Evaluate(run, c.options).Invariants {
				ids = append(ids, inv.ID)
			}
			if diff := cmp.Diff(strings.Fields(c.want), ids); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	var ids []string
	for _, info := range check.Known() {
		ids = append(ids, info.ID)
		if info.Doc == "" {
			t.Errorf("%s has no doc", info.ID)
		}
	}
	if want := strings.Fields(everything); !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
}

func TestCountsAreOfJudgedArms(t *testing.T) {
	run := coveredRun()
	run.Manifest.Arms = append(run.Manifest.Arms, history.Arm{Name: "control", Control: true, Judge: true})
	control := run.Rollouts[0]
	control.Arm = "control"
	run.Rollouts = append(run.Rollouts, control)
	second := run.Attempts[0]
	second.Exchange = 2
	run.Attempts = append(run.Attempts, second)
	run.Effects = []history.Effect{
		{Arm: "main", Server: "sim", Kind: history.EffectCommit, Rollout: rollout1, Key: "seq:1"},
		{Arm: "main", Server: "sim", Kind: history.EffectAnswer, Rollout: rollout1, Key: "seq:1", Replayed: true},
		{Arm: "main", Server: "sim", Kind: history.EffectAnswer, Rollout: rollout1, Key: "seq:1"},
	}
	want := history.Counts{
		Rollouts: map[history.Outcome]int{history.Completed: 4},
		Ops:      map[history.Told]int{history.ToldUnknown: 4},
		Attempts: 4, Exchanges: 5,
		Faults:  map[history.FaultState]int{history.FaultDelivered: 4},
		Cuts:    map[string]int{"C4 rst": 4},
		Commits: 1, Replays: 1,
	}
	if diff := cmp.Diff(want, evaluate(run).Counts); diff != "" {
		t.Error(diff)
	}
}

// A verdict is a pure function of the history.
func TestEvaluateIsStable(t *testing.T) {
	run := stormRun(40)
	first := must(json.Marshal(evaluate(run)))
	for range 5 {
		if again := must(json.Marshal(evaluate(run))); string(again) != string(first) {
			t.Fatalf("got\n%s\nthen\n%s", first, again)
		}
	}
}
