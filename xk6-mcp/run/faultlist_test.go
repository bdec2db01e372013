package run

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

func TestFaultsOfATask(t *testing.T) {
	receipt := func(op, cut, manner, rule string, at history.Instant) history.Fault {
		return history.Fault{
			Arm: "main", Server: "sim", Rule: rule, Op: op, Attempt: 1, Role: history.RoleCall,
			Cut: cut, Manner: manner, State: history.FaultDelivered, At: at,
		}
	}
	missed, other, control := receipt("t000001/s04", "C4", "rst", "r01", 4), receipt("t000002/s02", "C4", "rst", "r01", 5), receipt("t000001/s02", "C4", "rst", "r01", 6)
	missed.State, control.Arm = history.FaultMissed, "control"
	again := receipt("t000001/s03", "C4", "rst", "r01", 9) // the rollout was restarted
	burst := receipt("t000001/s05", "burst", "fin", "r03", 7)
	burst.Up = 120
	leg := receipt("t000001/s06", "C4", "fin", "r04", 8)
	leg.Leg = plan.ClientLeg
	stored := &history.Run{
		Plan: []history.PlanRule{
			{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst"},
			{Arm: "main", Rule: "r02", On: "sim", Cut: "C4", Manner: "status", Detail: &history.PlanDetail{Code: 503, RetryAfter: 2}},
			{Arm: "main", Rule: "r05", On: "sim", Toxic: "latency", Stream: "downstream", Toxicity: 1, Attributes: map[string]any{"latency": 5.0}, During: []string{"5s", "25s"}},
			{Arm: "main", Rule: "r06", On: "sim", Cut: "idle", Manner: "fin", Share: 0.5, Idle: []string{"4s", "6s"}, During: []string{"5s", "25s"}},
			{Arm: "main", Rule: "r07", On: "sim", Cut: "accept", Manner: "hold", During: []string{"8s", "10s"}, Detail: &history.PlanDetail{For: "2s"}},
			{Arm: "other", Rule: "r05", On: "sim", Toxic: "latency"},
		},
		Faults: []history.Fault{
			receipt("t000001/s02", "idle", "fin", "r06", 1), leg, burst, again, control, other, missed,
			receipt("t000001/s03", "C4", "rst", "r01", 3), receipt("t000001/s02", "C4", "status", "r02", 2),
		},
	}
	list, notes := faultsOf(stored, "main", func(task string) bool { return task == "t000001" })
	want := []string{
		"latency of sim, downstream",
		"idle fin of sim after 5s",
		"accept hold of sim at 8s for 2s",
		"C4 status 503 at call, attempt 1 of t000001/s02",
		"C4 rst at call, attempt 1 of t000001/s03",
		"C3 fin at call, attempt 1 of t000001/s05",
		"C4 fin at call, attempt 1 of t000001/s06",
	}
	if diff := cmp.Diff(want, names(list)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "a burst hit t000001/s05") {
		t.Errorf("notes: %q", notes)
	}
	text, err := listText(list)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := plan.Parse(json.RawMessage(text), []string{"sim"})
	if err != nil {
		t.Fatalf("the list is no plan: %v\n%s", err, text)
	}
	if d := rules[3].Detail; d.Code != 503 || d.RetryAfter.Seconds() != 2 || rules[6].Leg != plan.ClientLeg || rules[1].Jitter.Seconds() != 1 {
		t.Errorf("details are lost: %+v", rules)
	}
	window := plan.Window{From: 5 * time.Second, To: 25 * time.Second}
	if rules[0].During != window || rules[1].During != window {
		t.Errorf("windows are lost: %+v", rules[:2])
	}
}

func TestAnEmptyListIsAPlan(t *testing.T) {
	text, err := listText(nil)
	if err != nil {
		t.Fatal(err)
	}
	if rules, err := plan.Parse(text, []string{"sim"}); err != nil || len(rules) != 0 {
		t.Errorf("%q gives %v, %v", text, rules, err)
	}
}

func TestWhereABurstHit(t *testing.T) {
	for want, f := range map[string]history.Fault{
		"C1": {}, "C3": {Up: 10}, "C6": {Up: 10, Down: 1},
	} {
		if got := burstAs(f); got != want {
			t.Errorf("%d bytes up, %d down: %s, want %s", f.Up, f.Down, got, want)
		}
	}
}
