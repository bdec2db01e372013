package plan_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/internal/seed"
	"mcpstorm/toxics/plan"
)

func burst(id string, at time.Duration, share float64) plan.Rule {
	return plan.Rule{ID: id, On: "sim", Cut: plan.CutBurst, Manner: plan.RST, BurstAt: at, Share: share}
}

// ordinals are 1 to n.
func ordinals(n int) []int64 {
	var out []int64
	for i := range n {
		out = append(out, int64(i+1))
	}
	return out
}

func TestBurstsOfAServer(t *testing.T) {
	other := burst("r03", 0, 1)
	other.On = "tools"
	p := newPlan(t, 1, burst("r01", 8*time.Second, 0.5), share("r02", 1), other, burst("r04", time.Second, 1), burst("r05", 8*time.Second, 0.3))
	var got []string
	for _, b := range p.Bursts("sim") {
		got = append(got, b.Rule)
	}
	if diff := cmp.Diff([]string{"r04", "r01", "r05"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, ok := newPlan(t, 1, burst("r01", 0, 1)).Decide(plan.Exchange{Server: "sim", Ref: call("t000017", "s02", 1).Ref}); ok {
		t.Error("a burst marks an exchange")
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		name  string
		open  int
		share float64
		want  int
	}{
		{"none open", 0, 1, 0},
		{"all", 64, 1, 64},
		{"half", 64, 0.5, 32},
		{"half of one", 1, 0.5, 1},
		{"half of three", 3, 0.5, 2},
		{"a third of ten", 10, 0.3, 3},
		{"too few for the share", 1, 0.3, 0},
		{"nothing", 64, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newPlan(t, 1, burst("r01", 0, tt.share)).Bursts("sim")[0]
			if got := b.Choose(ordinals(tt.open)); len(got) != tt.want {
				t.Errorf("%v of %d: %v, want %d", tt.share, tt.open, got, tt.want)
			}
		})
	}
}

func TestChoiceIsOfTheSeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := seed.Root(rapid.Uint64().Draw(t, "root"))
		open := ordinals(rapid.IntRange(2, 64).Draw(t, "open"))
		b := newPlan(t, root, burst("r01", 0, rapid.Float64Range(0, 1).Draw(t, "share"))).Bursts("sim")[0]
		want := b.Choose(open)
		if got := b.Choose(rapid.Permutation(open).Draw(t, "order")); !slices.Equal(want, got) {
			t.Fatalf("another order chooses %v, not %v", got, want)
		}
	})
	choose := func(root seed.Root, id string) []int64 {
		return newPlan(t, root, burst(id, 0, 0.5)).Bursts("sim")[0].Choose(ordinals(64))
	}
	if base := choose(1, "r01"); slices.Equal(base, choose(2, "r01")) || slices.Equal(base, choose(1, "r02")) {
		t.Error("another seed or rule chooses the same 32 of 64")
	}
}
