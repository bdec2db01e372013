package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// sweptRun is a run of two arms whose plan is a sweep of five cases: two single
// faults and three pairs. Its rollouts meet what a test adds.
func sweptRun() *history.Run {
	run := emptyRun()
	main := &run.Manifest.Arms[0]
	main.Scenarios[0].Planned = 5
	main.Sweep = &history.Sweep{
		Placements: 3, Pairs: 3, Cases: 5,
		Excluded: []history.Excluded{{Count: 1, Reason: "alone on a later attempt"}},
	}
	other := *main
	other.Name, other.Scenarios = "other", []history.Scenario{{Name: "rollouts", Block: 1, Planned: 5}}
	run.Manifest.Arms = append(run.Manifest.Arms, other)
	add := func(number int, step string, attempt int, cut string) {
		for _, arm := range []string{"main", "other"} { // both by the tasks of the first
			run.Plan = append(run.Plan, history.PlanRule{
				Arm: arm, Rule: "r01", On: "sim", Cut: cut, Manner: "rst", At: history.RoleCall,
				Op: fmt.Sprintf("t%06d/%s", number-1, step), Attempt: attempt, Case: number,
			})
		}
	}
	add(1, "s02", 1, "C4")
	add(2, "s02", 1, "C7")
	add(3, "s02", 1, "C4")
	add(3, "s02", 2, "C4")
	add(4, "s02", 1, "C7")
	add(4, "s02", 2, "C4")
	add(5, "s02", 1, "C4")
	add(5, "s03", 1, "C4")
	return run
}

// meet adds a rollout of a case to one arm: the exchanges that it made, each as
// "STEP ATTEMPT [CUT]" with the fault that it met.
func meet(run *history.Run, arm string, number int, exchanges ...string) {
	task := fmt.Sprintf("t%06d", number-1)
	if arm == "other" {
		task = fmt.Sprintf("t1%06d", number-1)
	}
	run.Rollouts = append(run.Rollouts, history.Rollout{
		Arm: arm, Scenario: "rollouts", Task: task, Rollout: task + ".1", Iteration: int64(number - 1), Outcome: history.Completed,
	})
	for _, text := range exchanges {
		fields := strings.Fields(text)
		op, attempt := task+"/"+fields[0], int(fields[1][0]-'0')
		run.Attempts = append(run.Attempts, history.Attempt{
			Arm: arm, Op: op, Rollout: task + ".1", Attempt: attempt, Role: history.RoleCall, Server: "sim", Written: 1,
		})
		if len(fields) < 3 {
			continue
		}
		f := history.Fault{
			Arm: arm, Server: "sim", Rule: "r01", Op: op, Rollout: task + ".1", Attempt: attempt, Role: history.RoleCall,
			Cut: fields[2], Manner: "rst", State: history.FaultDelivered,
		}
		if f.Cut == "C7" && len(fields) == 4 {
			f.State, f.Reason = history.FaultMissed, fields[3]
		}
		run.Faults = append(run.Faults, f)
	}
}

// meetAll has an arm meet all of the plan that can occur.
func meetAll(run *history.Run, arm string) {
	meet(run, arm, 1, "s02 1 C4", "s02 2", "s03 1")
	meet(run, arm, 2, "s02 1 C7", "s03 1")
	meet(run, arm, 3, "s02 1 C4", "s02 2 C4", "s02 3")
	meet(run, arm, 4, "s02 1 C7", "s03 1")
	meet(run, arm, 5, "s02 1 C4", "s02 2", "s03 1 C4", "s03 2")
}

func TestSweepCoverage(t *testing.T) {
	run := sweptRun()
	meetAll(run, "main")
	meet(run, "other", 1, "s02 1 C4")
	meet(run, "other", 2, "s02 1 C7 endless")
	meet(run, "other", 3, "s02 1")
	meet(run, "other", 4, "s03 1")
	v := check.Evaluate(run, check.Options{})
	plan := *run.Manifest.Arms[0].Sweep
	want := []history.SweepCoverage{
		{
			Arm: "main", Sweep: plan, Started: 5, Met: 4, Singles: 4, PairsMet: 2,
			Missing: []history.Excluded{{Pairs: true, Count: 1, Reason: "no attempt 2 was made after C7 on attempt 1"}},
		},
		{
			Arm: "other", Sweep: plan, Started: 4, Met: 1, Singles: 1,
			Missing: []history.Excluded{
				{Count: 1, Reason: "C7 was missed: endless"},
				{Pairs: true, Count: 1, Reason: "the exchange was made, and nothing says what became of the fault"},
				{Pairs: true, Count: 1, Reason: "the operation was never made"},
				{Pairs: true, Count: 1, Reason: "their rollouts did not run"},
			},
		},
	}
	if diff := cmp.Diff(want, v.Sweep); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSweepClause(t *testing.T) {
	tests := []struct {
		name string
		run  func() *history.Run
		want history.Status
		says string
	}{
		{"no sweep", emptyRun, history.NotEvaluated, "the plan is no sweep"},
		{"all of it", func() *history.Run {
			run := sweptRun()
			meetAll(run, "main")
			meetAll(run, "other")
			return run
		}, history.Pass, "5 of 5 cases ran, 4 met every fault of theirs"},
		{"too few rollouts", func() *history.Run {
			run := sweptRun()
			meetAll(run, "main")
			meet(run, "other", 1, "s02 1 C4", "s02 2")
			return run
		}, history.Fail, "1 of 5 cases ran, 1 met every fault of theirs; each scenario needs at least 5 iterations"},
		{"a fault that nobody accounts for", func() *history.Run {
			run := sweptRun()
			meetAll(run, "main")
			meetAll(run, "other")
			run.Faults = run.Faults[:len(run.Faults)-1]
			return run
		}, history.Fail, "1 faults were not met and nothing says why"},
		{"a single placement that was not met", func() *history.Run {
			run := sweptRun()
			meetAll(run, "main")
			meet(run, "other", 1, "s02 1 C4", "s02 2", "s03 1")
			meet(run, "other", 2, "s03 1")
			meet(run, "other", 3, "s02 1 C4", "s02 2 C4", "s02 3")
			meet(run, "other", 4, "s02 1 C7", "s03 1")
			meet(run, "other", 5, "s02 1 C4", "s02 2", "s03 1 C4", "s03 2")
			return run
		}, history.Fail, "arm other: 5 of 5 cases ran, 3 met every fault of theirs; 1 single placement not met: the operation was never made"},
		{"nothing met", func() *history.Run {
			run := sweptRun()
			meetAll(run, "main")
			for number := 1; number <= 5; number++ {
				meet(run, "other", number)
			}
			return run
		}, history.Fail, "5 of 5 cases ran, 0 met every fault of theirs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range check.Evaluate(tt.run(), check.Options{}).Invariants[0].Clauses {
				if c.Name != "sweep" {
					continue
				}
				if c.Status != tt.want || !strings.Contains(c.Text, tt.says) {
					t.Errorf("%s: %s; want %s: %s", c.Status, c.Text, tt.want, tt.says)
				}
				return
			}
			t.Error("coverage has no clause named sweep")
		})
	}
}
