package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// fourByTwo is a sweep over a rollout of 4 operations, 2 attempts, C1 to C7, fin
// and rst.
func fourByTwo() plan.Sweep {
	return plan.Sweep{
		Steps: []string{"s02", "s03", "s04", "s05"}, Attempts: 2,
		Cuts:    []string{plan.C1, plan.C2, plan.C3, plan.C4, plan.C5, plan.C6, plan.C7},
		Manners: []string{plan.FIN, plan.RST}, Pairs: true,
	}
}

func TestSweepCounts(t *testing.T) {
	s := fourByTwo()
	cases, count := s.Cases(1, history.RoleCall)
	want := history.Sweep{
		Placements: 4 * 2 * 7 * 2, Pairs: 112 * 111 / 2,
		Cases: 4*7*2 + 4*14*14 + 6*14*14, // one fault; both attempts of an operation; the first of two
		Excluded: []history.Excluded{
			{Pairs: true, Count: 4 * 2 * 91, Reason: "both on one exchange, which breaks once"},
			{Pairs: true, Count: 6 * 3 * 196, Reason: "on a later attempt without one on the attempt before it, whose failure it needs"},
			{Count: 56, Reason: "alone on a later attempt, which is made only when the one before it failed"},
		},
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(cases) != count.Cases {
		t.Errorf("%d cases, %d counted", len(cases), count.Cases)
	}
	excluded := 0
	for _, e := range count.Excluded {
		excluded += e.Count
	}
	if all := count.Placements + count.Pairs; count.Cases+excluded != all {
		t.Errorf("%d cases and %d excluded are not all %d", count.Cases, excluded, all)
	}
	for i, c := range cases {
		if want := 1 + min(i/56, 1); len(c) != want {
			t.Fatalf("case %d is %v: single ones come first", i, c)
		}
	}
}

func TestSweepNamesWhatCannotOccur(t *testing.T) {
	tests := []struct {
		name  string
		sweep plan.Sweep
		at    history.ExchangeRole
		want  []history.Excluded
	}{
		{
			"no body to cut",
			plan.Sweep{Steps: []string{"s01"}, Attempts: 1, Cuts: []string{plan.C3, plan.C6}, Manners: []string{plan.RST}},
			history.RoleDelete,
			[]history.Excluded{{Count: 1, Reason: "C6 by rst at delete: its answer has no body"}},
		},
		{
			"a clean-up that is none",
			plan.Sweep{Steps: []string{"s02"}, Attempts: 1, Cuts: []string{plan.C1, plan.C8}, Manners: []string{plan.FIN, plan.RST}},
			history.RoleCall,
			[]history.Excluded{
				{Count: 1, Reason: "C8 by fin at call: C8 is the failure of a clean-up exchange: delete or get"},
				{Count: 1, Reason: "C8 by rst at call: C8 is the failure of a clean-up exchange: delete or get"},
			},
		},
		{
			"a third attempt",
			plan.Sweep{Steps: []string{"s02"}, Attempts: 3, Cuts: []string{plan.C1}, Manners: []string{plan.RST}, Pairs: true},
			history.RoleCall,
			[]history.Excluded{
				{Pairs: true, Count: 2, Reason: "on a later attempt without one on the attempt before it, whose failure it needs"},
				{Count: 2, Reason: "alone on a later attempt, which is made only when the one before it failed"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, count := tt.sweep.Cases(1, tt.at)
			if diff := cmp.Diff(tt.want, count.Excluded); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestSweepCoversOnce holds any sweep to its promise: each case is one that can
// occur, none comes twice, and what is not a case has been counted by its reason.
func TestSweepCoversOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plan.Sweep{
			Steps:    fourByTwo().Steps[:rapid.IntRange(1, 3).Draw(t, "ops")],
			Attempts: rapid.IntRange(1, 3).Draw(t, "attempts"),
			Cuts:     rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"C0", "C1", "C3", "C3w", "C5", "C7", "C8"}), 1, 4, rapid.ID[string]).Draw(t, "cuts"),
			Manners:  rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"fin", "rst", "hold"}), 1, 3, rapid.ID[string]).Draw(t, "manners"),
			Pairs:    rapid.Bool().Draw(t, "pairs"),
		}
		at := rapid.SampledFrom([]history.ExchangeRole{"call", "initialize", "initialized", "delete"}).Draw(t, "at")
		root := seed.Root(rapid.Uint64().Draw(t, "root"))
		cases, count := s.Cases(root, at)
		seen := map[string]bool{}
		for _, c := range cases {
			if len(c) > 1 && !s.Pairs {
				t.Fatalf("%v is a pair", c)
			}
			name := fmt.Sprint(c)
			if seen[name] {
				t.Fatalf("%s comes twice", name)
			}
			seen[name] = true
			if slices.ContainsFunc(c, func(p plan.Placement) bool { return plan.Impossible(p.Cut, p.Manner, at) != "" }) {
				t.Fatalf("%v cannot occur", c)
			}
		}
		rest := count.Placements + count.Pairs - count.Cases
		for _, e := range count.Excluded {
			rest -= e.Count
		}
		if rest != 0 || count.Cases != len(cases) {
			t.Fatalf("%d cases of %+v: %d are not accounted for", len(cases), count, rest)
		}
	})
}

// TestSweepMarks asks the plan for every exchange of every rollout: each meets the
// faults of its own case and no other, in every arm, and those beyond meet none.
func TestSweepMarks(t *testing.T) {
	s := fourByTwo()
	s.Cuts = []string{plan.C1, plan.C4}
	rules := []plan.Rule{{ID: "r01", On: "sim", At: history.RoleCall, Sweep: &s}}
	p := newPlan(t, 7, rules...)
	cases, _ := s.Cases(7, history.RoleCall)
	for block := range 4 {
		for i := range len(cases) + 3 {
			var got plan.Case
			for _, step := range []string{"s01", "s02", "s03", "s04", "s05", "s06", "s02.settle"} {
				for attempt := range 4 {
					x := call(wire.TaskID(block, int64(i)), step, attempt+1)
					if d, ok := p.Decide(x); ok {
						got = append(got, plan.Placement{Step: step, Attempt: attempt + 1, Cut: d.Cut, Manner: d.Manner})
					}
				}
			}
			var want plan.Case
			if i < len(cases) {
				want = cases[i]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("iteration %d of block %d (-want +got)\n%s", i, block, diff)
			}
		}
	}
	if p.Sweep() == nil || len(p.Rules()) < len(cases) {
		t.Errorf("%d rules of %d cases; sweep %v", len(p.Rules()), len(cases), p.Sweep())
	}
}

func TestSweepIsOfTheSeed(t *testing.T) {
	s := fourByTwo()
	order := func(root seed.Root) []plan.Case { cases, _ := s.Cases(root, history.RoleCall); return cases }
	if cmp.Equal(order(1), order(2)) {
		t.Error("another seed gives the same order")
	}
	if !cmp.Equal(order(1), order(1)) {
		t.Error("one seed gives two orders")
	}
}

func TestParseSweep(t *testing.T) {
	tests := []struct {
		name, in string
		want     plan.Rule
	}{
		{
			"defaults", `{"sweep":{"on":"sim","ops":4}}`,
			plan.Rule{ID: "r01", On: "sim", At: "call", Sweep: func() *plan.Sweep { s := fourByTwo(); return &s }()},
		},
		{
			"all of it", `{"sweep":{"on":"tools","ops":["s03","s07"],"at":"initialize","cuts":["C1","C2"],"manners":["rst"],"attempts":3,"pairs":false}}`,
			plan.Rule{ID: "r01", On: "tools", At: "initialize", Sweep: &plan.Sweep{
				Steps: []string{"s03", "s07"}, Attempts: 3, Cuts: []string{"C1", "C2"}, Manners: []string{"rst"},
			}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.Parse(json.RawMessage(tt.in), servers)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]plan.Rule{tt.want}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseSweepRefuses(t *testing.T) {
	refuses(t, []refusal{
		{"no sweep", `{}`, plan.ErrRule, []string{"sweep"}},
		{"another key", `{"sweeps":{}}`, plan.ErrRule, []string{`"sweeps"`, `did you mean "sweep"`}},
		{"null", `{"sweep":null}`, plan.ErrRule, []string{"sweep null"}},
		{"no server", `{"sweep":{"ops":4}}`, plan.ErrRule, []string{"no on"}},
		{"unknown key", `{"sweep":{"on":"sim","ops":4,"cut":["C1"]}}`, plan.ErrRule, []string{`"cut"`, `did you mean "cuts"`}},
		{"no ops", `{"sweep":{"on":"sim"}}`, plan.ErrRule, []string{"no ops"}},
		{"no op", `{"sweep":{"on":"sim","ops":0}}`, plan.ErrRule, []string{"ops 0"}},
		{"too many ops", `{"sweep":{"on":"sim","ops":1000}}`, plan.ErrRule, []string{"ops 1000"}},
		{"half an op", `{"sweep":{"on":"sim","ops":1.5}}`, plan.ErrRule, []string{"ops 1.5"}},
		{"empty ops", `{"sweep":{"on":"sim","ops":[]}}`, plan.ErrRule, []string{"ops []"}},
		{"no step", `{"sweep":{"on":"sim","ops":["s2"]}}`, plan.ErrRule, []string{`["s2"]`}},
		{"a step twice", `{"sweep":{"on":"sim","ops":["s02","s02"]}}`, plan.ErrRule, []string{"each once"}},
		{"what a client adds", `{"sweep":{"on":"sim","ops":["s02.settle"]}}`, plan.ErrRule, []string{"s02.settle"}},
		{"unknown cut", `{"sweep":{"on":"sim","ops":4,"cuts":["C9"]}}`, plan.ErrRule, []string{`cuts "C9"`}},
		{"no cuts", `{"sweep":{"on":"sim","ops":4,"cuts":[]}}`, plan.ErrRule, []string{"cuts []"}},
		{"a status", `{"sweep":{"on":"sim","ops":4,"manners":["status"]}}`, plan.ErrRule, []string{`"status"`}},
		{"no attempts", `{"sweep":{"on":"sim","ops":4,"attempts":0}}`, plan.ErrRule, []string{"attempts 0"}},
		{"pairs as a number", `{"sweep":{"on":"sim","ops":4,"pairs":1}}`, plan.ErrRule, []string{"pairs 1"}},
		{"too much", `{"sweep":{"on":"sim","ops":99,"attempts":1000000000000}}`, plan.ErrRule, []string{"more than 1000 placements"}},
		{"too many pairs", `{"sweep":{"on":"sim","ops":30,"attempts":1,"cuts":["C1","C2","C3","C4","C5","C6"]}}`, plan.ErrRule, []string{"cases; at most 50000"}},
		{"nothing that can occur", `{"sweep":{"on":"sim","ops":["s01"],"at":"delete","cuts":["C5"]}}`, plan.ErrRule, []string{"no placement can occur", "no body"}},
	})
}
