package plan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/toxics/plan"
)

func during(id string, w plan.Window) plan.Rule {
	r := share(id, 0.5)
	r.During = w
	return r
}

func TestEnd(t *testing.T) {
	tests := []struct {
		name  string
		rules []plan.Rule
		want  time.Duration
		says  string // of the refusal
	}{
		{"no rule", nil, 0, ""},
		{"the last window", []plan.Rule{during("r01", plan.Window{To: 9 * time.Second}), during("r02", plan.Window{From: 1, To: 5 * time.Second})}, 9 * time.Second, ""},
		{"a burst after it", []plan.Rule{during("r01", plan.Window{To: 9 * time.Second}), burst("r02", 12*time.Second, 1)}, 12 * time.Second, ""},
		{"a stall", []plan.Rule{{ID: "r01", On: "sim", Cut: plan.CutAccept, BurstAt: 3 * time.Second, Detail: plan.Detail{For: 2 * time.Second}}}, 5 * time.Second, ""},
		{"a hold that outlasts its window", []plan.Rule{{ID: "r01", On: "sim", Cut: plan.C4, Manner: plan.Hold, Detail: plan.Detail{For: 4 * time.Second}, During: plan.Window{To: 9 * time.Second}}}, 13 * time.Second, ""},
		{"a listed fault", []plan.Rule{{ID: "r01", On: "sim", Cut: plan.C1, Op: "t000001/s02", Attempt: 1}, burst("r02", time.Second, 1)}, time.Second, ""},
		{"no window", []plan.Rule{share("r01", 0.5)}, 0, "r01: it has no end"},
		{"the start of each rollout", []plan.Rule{during("r01", plan.Window{Start: true})}, 0, "r01: it has no end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.End(tt.rules)
			if got != tt.want || (err != nil) != (tt.says != "") {
				t.Fatalf("End = %v, %v; want %v", got, err, tt.want)
			}
			if err != nil && (!errors.Is(err, plan.ErrRule) || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("%q does not say %q", err, tt.says)
			}
		})
	}
}

func TestEndBy(t *testing.T) {
	const at = 10 * time.Second
	ramp := plan.Window{From: 5 * time.Second, To: 15 * time.Second, Ramp: true, High: 0.4}
	tests := []struct {
		name string
		in   plan.Window
		want plan.Window
	}{
		{"always", plan.Window{}, plan.Window{To: at}},
		{"over before", plan.Window{From: 1, To: 5 * time.Second}, plan.Window{From: 1, To: 5 * time.Second}},
		{"longer", plan.Window{From: 1, To: time.Minute}, plan.Window{From: 1, To: at}},
		{"the start of each rollout", plan.Window{Start: true}, plan.Window{Start: true, To: at}},
		{"a ramp half way", ramp, plan.Window{From: 5 * time.Second, To: at, Ramp: true, High: 0.2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.EndBy([]plan.Rule{during("r01", tt.in)}, at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got[0].During); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for name, late := range map[string]plan.Rule{
		"a window that would only open":  during("r01", plan.Window{From: at, To: time.Minute}),
		"a burst that would only come":   burst("r01", at+1, 1),
		"a stall that would go on":       {ID: "r01", On: "sim", Cut: plan.CutAccept, BurstAt: at - 1, Detail: plan.Detail{For: time.Second}},
		"a toxic, which acts to the end": {ID: "r01", On: "sim", Toxic: "latency"},
	} {
		if _, err := plan.EndBy([]plan.Rule{late}, at); !errors.Is(err, plan.ErrRule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
