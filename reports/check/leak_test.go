package check_test

import (
	"slices"
	"strings"
	"testing"

	"mcpstorm/history"
)

// countedRun is a run in which the tool server's process was counted: before, after
// each cycle, and once all was quiet. A negative count stands for none taken.
func countedRun(base int64, cycles []int64, end int64) *history.Run {
	run := emptyRun()
	run.Manifest.Arms[0].Scenarios[0].Executor = "per-vu-iterations"
	add := func(phase history.ResourcePhase, cycle int, n int64) {
		if n >= 0 {
			run.Resources = append(run.Resources, history.Resource{
				Arm: "main", Server: "tools", Process: 1, Phase: phase, Cycle: int64(cycle), Counts: map[string]int64{"sockets": n},
			})
		}
	}
	add(history.ResourceBase, 0, base)
	for i, n := range cycles {
		add(history.ResourceCycle, i+1, n)
	}
	add(history.ResourceEnd, 0, end)
	return run
}

// series is n counts, by their place.
func series(n int, count func(i int) int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = count(i)
	}
	return list
}

func rename(name string) func(*history.Run) {
	return func(r *history.Run) {
		for i := range r.Resources {
			r.Resources[i].Counts = map[string]int64{name: r.Resources[i].Counts["sockets"]}
		}
	}
}

func withFaults(n int, manner string) func(*history.Run) {
	return func(r *history.Run) {
		for range n {
			r.Faults = append(r.Faults, history.Fault{Arm: "main", Server: "tools", Cut: "C4", Manner: manner, State: history.FaultDelivered})
		}
	}
}

func TestNoLeak(t *testing.T) {
	flat := series(8, func(i int) int64 { return 60 + int64(i%3) })
	steps := series(8, func(i int) int64 { return 60 + int64(i) })
	for _, c := range []struct {
		name      string
		base, end int64
		cycles    []int64
		change    func(*history.Run)
		status    history.Status
		reason    string
	}{
		{"flat and back", 3, 3, flat, nil, history.Pass, ""},
		{"no data", -1, -1, nil, nil, history.NotEvaluated, "no process recorded what it held"},
		{"too few cycles", 3, 90, steps[:7], nil, history.NotEvaluated, "fewer than 8 cycles of use"},
		{"one more with each cycle", 3, 11, steps, nil, history.Fail, "sockets does not return to the base line"},
		{"it rises and comes back", 3, 3, steps, nil, history.Fail, "sockets rises with use"},
		{"it falls", 3, 3, series(8, func(i int) int64 { return 60 - int64(i) }), nil, history.Pass, ""},
		{"a few made once stay", 3, 7, flat, nil, history.Pass, ""},
		{"a few made once, and noticed as a step", 3, 7, []int64{60, 64, 64, 64, 64, 64, 64, 64}, nil, history.Pass, ""},
		{"many stay", 3, 63, flat, nil, history.Fail, "does not return"},
		{"many stay, against more cycles", 3, 63, series(120, func(i int) int64 { return 60 + int64(i%3) }), nil, history.Pass, ""},
		{"one in ten cycles", -1, -1, series(400, func(i int) int64 { return 60 + int64(i/10) }), nil, history.Fail, "sockets rises with use"},
		{"noise alone", -1, -1, series(400, func(i int) int64 { return 60 + int64(i*7919%13) }), nil, history.Pass, ""},
		{"the load rose", 3, 3, steps, func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Executor = "ramping-vus" }, history.Pass, ""},
		{"the load rose and nothing was counted in the end", 3, -1, steps, func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Executor = "ramping-vus" }, history.NotEvaluated, "the load did not stay the same"},
		{"connections are held open", 3, 3, steps, withFaults(1, "hold"), history.Pass, ""},
		{"connections are held open, and nothing was counted in the end", 3, -1, steps, withFaults(1, "hold"), history.NotEvaluated, "faults held connections open"},
		{"sessions that faults left behind", 3, 11, steps, func(r *history.Run) {
			rename("sessions")(r)
			withFaults(8, "rst")(r)
		}, history.NotEvaluated, "faults may have left sessions behind"},
		{"more sessions than faults", 3, 11, steps, func(r *history.Run) {
			rename("sessions")(r)
			withFaults(7, "rst")(r)
		}, history.Fail, "sessions does not return"},
		{"faults of another server", 3, 11, steps, func(r *history.Run) {
			rename("sessions")(r)
			withFaults(8, "rst")(r)
			for i := range r.Faults {
				r.Faults[i].Server = "sim"
			}
		}, history.Fail, "sessions does not return"},
		{"faults leave no sockets behind", 3, 11, steps, withFaults(8, "rst"), history.Fail, "sockets does not return"},
		{"another arm", 3, 11, steps, func(r *history.Run) {
			for i := range r.Resources {
				r.Resources[i].Arm = "control"
			}
		}, history.NotEvaluated, "no process"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := countedRun(c.base, c.cycles, c.end)
			if c.change != nil {
				c.change(run)
			}
			wantStatus(t, judge(t, run, "no-leak"), c.status, c.reason)
		})
	}
}

// The proof is the series itself, and names the process.
func TestProofOfALeak(t *testing.T) {
	inv := judge(t, countedRun(3, series(20, func(i int) int64 { return 10 + 2*int64(i) }), 43), "no-leak")
	if want := "sockets of tools, process 1: +2.00 a cycle over 20 cycles, and +40 in the end against the beginning"; inv.Proof == nil || inv.Proof.Text != want {
		t.Fatalf("%+v", inv.Proof)
	}
	events := inv.Proof.Events
	if events[0] != "before the first rollout: 3" || !slices.Contains(events, "after cycle 20: 48") || !strings.HasSuffix(events[len(events)-1], "quiet: 43") || len(events) != 10 {
		t.Errorf("%q", events)
	}
}
