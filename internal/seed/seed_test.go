package seed_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mcpstorm/internal/seed"
)

func TestSameNamesSameStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := seed.Root(rapid.Uint64().Draw(t, "root"))
		names := rapid.SliceOf(rapid.String()).Draw(t, "names")
		a, b := root.Stream(names...), root.Stream(names...)
		for range 10 {
			if x, y := a.Uint64(), b.Uint64(); x != y {
				t.Fatalf("two streams of one name differ: %d, %d", x, y)
			}
		}
		if u := root.Unit(names...); u < 0 || u >= 1 || u != root.Unit(names...) {
			t.Fatalf("Unit = %v", u)
		}
	})
}

func TestNamesAreBoundByTheirLengths(t *testing.T) {
	root := seed.Root(1)
	if root.Unit("ab", "c") == root.Unit("a", "bc") || root.Unit("a") == root.Unit("a", "") || root.Unit("a") == seed.Root(2).Unit("a") {
		t.Error("two different decisions are one")
	}
}

// TestUnitIsUniform bounds the largest gap between the empirical and the uniform
// distribution (Kolmogorov–Smirnov at 0.1 %).
func TestUnitIsUniform(t *testing.T) {
	const n = 10_000
	bins := make([]int, 100)
	for i := range n {
		bins[int(seed.Root(7).Unit("x", string(rune(i)))*100)]++
	}
	sum, worst := 0, 0.0
	for i, count := range bins {
		sum += count
		worst = math.Max(worst, math.Abs(float64(sum)/n-float64(i+1)/100))
	}
	if limit := 1.95 / math.Sqrt(n); worst > limit {
		t.Errorf("the distribution is off by %.4f, want at most %.4f", worst, limit)
	}
}

func TestHex(t *testing.T) {
	if got := seed.Root(1).Hex(16, "nonce"); len(got) != 16 || got != seed.Root(1).Hex(16, "nonce") {
		t.Errorf("Hex = %q", got)
	}
}
