package chart_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
)

// What a run has nothing to show of is not drawn, and the error says what is missing.
func TestNothingToShow(t *testing.T) {
	struck := deed{n: 20, cut: "C4", manner: "rst", commits: 1, attempts: 2}
	keyless := func(run *history.Run) *history.Run {
		for i := range run.Ops {
			run.Ops[i].Key = ""
		}
		return run
	}
	interrupted := func(run *history.Run) *history.Run {
		for i := range run.Ops {
			run.Ops[i].Interrupted = true
		}
		return run
	}
	for _, c := range []struct {
		name string
		draw drawer
		run  *history.Run
		want error
		says string
	}{
		{"outcomes without faults", chart.Outcomes, done(deed{n: 20, commits: 1}), chart.ErrNoData, `no fault struck an operation of arm "main" that executes something`},
		{"outcomes of what executes nothing", chart.Outcomes, keyless(done(struck)), chart.ErrNoData, "executes something"},
		{"outcomes of an unknown arm", chart.Outcomes, &history.Run{}, chart.ErrNoArm, "none that is judged"},
		{"a map without faults", chart.FaultMap, done(deed{n: 20}), chart.ErrNoData, "no fault struck an operation"},
		{"a map of what was cut off", chart.FaultMap, interrupted(done(struck)), chart.ErrNoData, "no fault struck"},
		{"a map of no arm", chart.FaultMap, &history.Run{}, chart.ErrNoArm, "none"},
		{"latency of nothing", chart.Latency, done(), chart.ErrNoData, "fewer than 10 operations"},
		{"latency of one operation", chart.Latency, done(deed{n: 1}), chart.ErrNoData, "fewer than 10 operations"},
		{"latency of the control arm alone", chart.Latency, done(deed{n: 50, arm: "control"}), chart.ErrNoData, "fewer than 10"},
		{"latency where all failed", chart.Latency, done(deed{n: 20, told: history.ToldUnknown}), chart.ErrNoData, "no operation"},
		{"latency of no arm", chart.Latency, &history.Run{}, chart.ErrNoArm, "none"},
		{"recovery without faults", chart.Recovery, done(deed{n: 20}), chart.ErrNoData, "no server was asked anything after its faults"},
		{"recovery without an end", chart.Recovery, done(struck), chart.ErrNoData, "after its faults"},
		{"recovery with little afterwards", chart.Recovery, done(struck, deed{n: 5, at: time.Second}), chart.ErrNoData, "too few attempts"},
		{"recovery of no arm", chart.Recovery, &history.Run{}, chart.ErrNoArm, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.draw(c.run, chart.Options{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v that says %q", err, c.want, c.says)
			}
			if chart.IsEmpty(err) != (c.want == chart.ErrNoData) {
				t.Errorf("%v is taken for something else", err)
			}
		})
	}
}

// The titles of what went well, and of what went as badly as it can.
func TestTitlesOfFigures(t *testing.T) {
	well := done(deed{n: 150, commits: 1}, deed{n: 20, cut: "C4", manner: "rst", commits: 1, attempts: 2, at: time.Second, took: 50 * ms})
	badly := done(deed{n: 20, cut: "C1", manner: "fin", told: history.ToldNotExecuted}, deed{n: 10, cut: "C2", manner: "rst", told: history.ToldNotExecuted})
	one := done(deed{n: 2, cut: "C1", manner: "fin", told: history.ToldUnknown, server: "tools"}, deed{n: 1, cut: "C1", manner: "fin", server: "tools", commits: 1})
	again := done(deed{n: 200, cut: "C4", manner: "rst", at: time.Second}, deed{n: 300, at: 2 * time.Second}, deed{n: 40, told: history.ToldUnknown, at: 4 * time.Second})
	windowed := done(deed{n: 200, at: time.Second}, deed{n: 300, at: 2500 * ms}, deed{n: 300, at: 6 * time.Second})
	for _, run := range []*history.Run{again, windowed} {
		run.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", During: []string{"1s", "2s"}}}
	}
	toxic := done(deed{n: 30, commits: 1, told: history.ToldUnknown})
	toxic.Faults = []history.Fault{{Arm: "main", Server: "sim", Toxic: "latency", State: history.FaultInstalled, Conn: 7}}
	for i, op := range toxic.Ops[:12] {
		toxic.Wire = append(toxic.Wire, history.Wire{
			Arm: "main", Server: "sim", Conn: int64(7 + i%2), Role: history.RoleCall, Hint: op.Rollout + "/s01/a1",
		})
	}
	for _, c := range []struct {
		name string
		draw drawer
		run  *history.Run
		want string
	}{
		{"outcomes, well", chart.Outcomes, well, "Of 20 operations that a fault struck, none was lost, duplicated or left unknown; 100% needed a second try"},
		{"outcomes, badly", chart.Outcomes, badly, "Of 30 operations that a fault struck, 30 were lost"},
		{"map, well", chart.FaultMap, well, "None of 20 operations that a fault struck failed, whatever the fault"},
		{"map, badly", chart.FaultMap, badly, "All 30 operations that a fault struck failed, whatever the fault"},
		{"map of one cell", chart.FaultMap, one, "C1 fin on tools call failed 2 of 3 operations that it struck"},
		{"map of a toxic", chart.FaultMap, toxic, "latency on sim call failed 6 of 6 operations that it struck"},
		{"latency, well", chart.Latency, well, "90% of operations were answered within 50 ms during the faults, within 10 ms before them"},
		{"latency without faults", chart.Latency, done(deed{n: 2000}), "99% of operations were answered within 10 ms; no faults were delivered"},
		{"recovery, not at all", chart.Recovery, again, "After 1 of 1 end of faults, attempts kept failing: not back under 1%"},
		{"recovery, at once", chart.Recovery, windowed, "Failed attempts were under 1% at once when faults ended, 1 of 1 time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := c.draw(c.run, chart.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if f.Title() != c.want {
				t.Errorf("\n got %q\nwant %q", f.Title(), c.want)
			}
			read(t, f).checkTexts(t)
		})
	}
}
