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
	hold := func(length time.Duration, w plan.Window) plan.Rule {
		return plan.Rule{ID: "r01", On: "sim", Cut: plan.C4, Manner: plan.Hold, Share: 1, Detail: plan.Detail{For: length}, During: w}
	}
	toxic := func(w plan.Window) plan.Rule { return plan.Rule{ID: "r01", On: "sim", Toxic: "latency", During: w} }
	early := plan.Window{From: 1, To: 5 * time.Second}
	tests := []struct {
		name string
		in   plan.Rule
		want plan.Window
	}{
		{"always", during("r01", plan.Window{}), plan.Window{To: at}},
		{"over before", during("r01", early), early},
		{"over just then", during("r01", plan.Window{To: at}), plan.Window{To: at}},
		{"the start of each rollout", during("r01", plan.Window{Start: true}), plan.Window{Start: true, To: at}},
		{"holds of a length", hold(4*time.Second, plan.Window{}), plan.Window{To: 6 * time.Second}},
		{"holds that are over just then", hold(5*time.Second, early), early},
		{"holds until their clients leave", hold(0, plan.Window{}), plan.Window{To: at}},
		{"a toxic", toxic(plan.Window{}), plan.Window{To: at}},
		{"a toxic with a window", toxic(early), early},
		{"a burst just then", burst("r01", at, 1), plan.Window{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.EndBy([]plan.Rule{tt.in}, at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got[0].During); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	refused := []struct {
		name string
		in   plan.Rule
		says string
	}{
		{"a window that would only open", during("r01", plan.Window{From: at, To: time.Minute}), "r01: its window lasts until 1m0s, and the heal begins at 10s"},
		{"a window that lasts", during("r01", plan.Window{From: 1, To: 11 * time.Second}), "r01: its window lasts until 11s"},
		{"a hold that lasts", hold(6*time.Second, early), "r01: its window ends at 5s, and what begins in it lasts 6s longer, until 11s"},
		{"a hold without time to begin", hold(at, plan.Window{}), "r01: what it begins lasts 10s"},
		{"a toxic that lasts", toxic(plan.Window{To: time.Minute}), "r01: its window lasts until 1m0s"},
		{"a burst that would only come", burst("r01", at+1, 1), "r01: it lasts until 10.000000001s"},
		{"a stall that would go on", plan.Rule{ID: "r01", On: "sim", Cut: plan.CutAccept, BurstAt: 9 * time.Second, Detail: plan.Detail{For: 2 * time.Second}}, "r01: it lasts until 11s"},
	}
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := plan.EndBy([]plan.Rule{tt.in}, at); !errors.Is(err, plan.ErrRule) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v does not say %q", err, tt.says)
			}
		})
	}
}
