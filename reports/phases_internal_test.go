package reports

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// at is a moment of an arm that began 10 s after the run.
func at(seconds float64) history.Instant { return history.Instant((10 + seconds) * 1e9) }

func TestPhases(t *testing.T) {
	arm := history.Arm{Name: "main", Start: at(0), End: at(30)}
	var ops []history.Op
	for i := range 30 { // one that ends each second, the first of them with nothing
		op := history.Op{Arm: "main", Rollout: "t000001.1", Told: history.ToldOK, Attempts: 1, Start: at(float64(i) + 0.4), End: at(float64(i) + 0.5)}
		if i >= 10 && i < 20 {
			op.Attempts, op.Told = 2, history.ToldUnknown
		}
		ops = append(ops, op, history.Op{Arm: "other", End: at(float64(i))})
	}
	fault := func(second float64, rule string) history.Fault {
		return history.Fault{Arm: "main", Rule: rule, State: history.FaultDelivered, At: at(second)}
	}
	type want struct {
		Name              string
		From, To          time.Duration
		Ops, Failed, More int
		Faults            int
	}
	for _, c := range []struct {
		name   string
		plan   []history.PlanRule
		faults []history.Fault
		want   []want
	}{
		{"no faults", nil, nil, []want{{"main", 0, 30e9, 30, 10, 10, 0}}},
		{
			"a window",
			[]history.PlanRule{{Arm: "main", Rule: "r01", During: []string{"10s", "20s"}}, {Arm: "other", During: []string{"1s", "2s"}}},
			[]history.Fault{fault(12, "r01"), fault(19, "r01")},
			[]want{{"before", 0, 10e9, 10, 0, 0, 0}, {"during", 10e9, 20e9, 10, 10, 10, 2}, {"after", 20e9, 30e9, 10, 0, 0, 0}},
		},
		{
			"two windows",
			[]history.PlanRule{{Arm: "main", Rule: "r01", During: []string{"5s", "8s"}}, {Arm: "main", Rule: "r02", During: []string{"20s", "40s"}}},
			nil,
			[]want{{"before", 0, 5e9, 5, 0, 0, 0}, {"during", 5e9, 30e9, 25, 10, 10, 0}, {"after", 30e9, 30e9, 0, 0, 0, 0}},
		},
		{
			"no window",
			[]history.PlanRule{{Arm: "main", Rule: "r01"}},
			[]history.Fault{fault(12, "r01"), fault(14, "r01")},
			[]want{{"before", 0, 12e9, 12, 2, 2, 0}, {"during", 12e9, 14e9, 2, 2, 2, 2}, {"after", 14e9, 30e9, 16, 6, 6, 0}},
		},
		{"a window after the end", []history.PlanRule{{Arm: "main", During: []string{"40s", "50s"}}}, nil, []want{{"main", 0, 30e9, 30, 10, 10, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []want
			for _, p := range phasesOf(&history.Run{Plan: c.plan, Faults: c.faults, Ops: ops}, &arm) {
				got = append(got, want{p.name, p.from, p.to, p.ops, p.failed.rate().Count, p.again.rate().Count, p.faults})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 153 * time.Microsecond: "153 µs", 1290 * time.Microsecond: "1.29 ms", 121 * time.Millisecond: "121 ms",
		4290 * time.Millisecond: "4.29 s", 25 * time.Second: "25.0 s", 130 * time.Second: "2m10s",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestHeadline(t *testing.T) {
	inv := func(id string, status history.Status) history.Invariant {
		return history.Invariant{ID: id, Status: status}
	}
	counts := history.Counts{Rollouts: map[history.Outcome]int{history.Completed: 512}, Faults: map[history.FaultState]int{history.FaultDelivered: 1}}
	for _, c := range []struct {
		status history.Status
		list   []history.Invariant
		want   string
	}{
		{history.Pass, []history.Invariant{inv(coverageID, history.Pass), inv("a", history.Pass), inv("b", history.Pass)}, "Both invariants hold over 512 rollouts and 1 delivered fault"},
		{history.Pass, []history.Invariant{inv("a", history.Pass)}, "The one invariant holds over 512 rollouts and 1 delivered fault"},
		{history.Pass, []history.Invariant{inv("a", history.Pass), inv("b", history.Known)}, "1 of 2 invariants holds, and b fails as is known"},
		{history.Fail, []history.Invariant{inv("a", history.Fail), inv("b", history.Pass)}, "1 of 2 invariants is broken: a"},
		{history.Fail, []history.Invariant{inv("a", history.Fail), inv("b", history.Fail)}, "Both invariants are broken: a, b"},
		{history.Fail, []history.Invariant{inv("a", history.Pass)}, "A failure that was known holds now"},
		{history.Inconclusive, []history.Invariant{inv("a", history.Pass)}, "This run proves nothing either way"},
	} {
		s := prepare(&history.Run{}, history.Verdict{Status: c.status, Invariants: c.list, Counts: counts}, nil)
		if got := s.headline(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestRepeat(t *testing.T) {
	m := &history.Manifest{Seed: 7, Script: history.Script{Path: "it's.js"}, Overrides: &history.Overrides{
		Flags: []string{"--vus 24", "K6_VUS=9"}, Bugs: []string{"FM-01"}, Only: []string{"t000001", "t000002"}, Faults: []byte(`[]`),
	}}
	command, notes := repeat(m)
	if want := `mcpstorm run 'it'\''s.js' --seed 7 --vus 24 --bug FM-01 --only t000001,t000002 --faults faults.json`; command != want {
		t.Errorf("got %s, want %s", command, want)
	}
	if len(notes) != 2 {
		t.Errorf("notes %q", notes)
	}
}

// What a server does not record of itself was not compared with.
func TestLeadSaysWhatWasComparedWith(t *testing.T) {
	for effects, want := range map[bool]string{true: "with what the servers executed.", false: "with what was seen at the servers' end."} {
		run := &history.Run{Manifest: history.Manifest{Arms: []history.Arm{{Name: "main", Judge: true, Servers: []history.Server{{Name: "sim", Effects: effects}}}}}}
		if got := prepare(run, history.Verdict{}, nil).lead(); !strings.HasSuffix(got, want) {
			t.Errorf("effects recorded: %t: %q", effects, got)
		}
	}
}
