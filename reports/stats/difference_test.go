package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"mcpstorm/reports/stats"
)

// The expected intervals are those of Newcombe (Statistics in Medicine 17, 1998, page
// 873), table II, method 10, to the four digits printed there.
func TestDifferenceIsNewcombes(t *testing.T) {
	for _, c := range []struct {
		name              string
		head, headOf      int
		base, baseOf      int
		d, low, high, eps float64
	}{
		{"(a)", 56, 70, 48, 80, 0.2, 0.0524, 0.3339, 5e-5},
		{"(b)", 9, 10, 3, 10, 0.6, 0.1705, 0.8090, 5e-5},
		{"(c)", 6, 7, 2, 7, 0.5714, 0.0582, 0.8062, 5e-5},
		{"(d)", 5, 56, 0, 29, 0.0893, -0.0381, 0.1926, 5e-5},
		{"(e)", 0, 10, 0, 20, 0, -0.1611, 0.2775, 5e-5},
		{"(f)", 0, 10, 0, 10, 0, -0.2775, 0.2775, 5e-5},
		{"(g)", 10, 10, 0, 20, 1, 0.6791, 1, 5e-5},
		{"(h)", 10, 10, 0, 10, 1, 0.6075, 1, 5e-5},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, head := stats.Wilson(c.base, c.baseOf), stats.Wilson(c.head, c.headOf)
			near(t, "difference", head.Value-base.Value, c.d, c.eps)
			got := stats.Difference(base, head)
			near(t, "low", got.Low, c.low, c.eps)
			near(t, "high", got.High, c.high, c.eps)
		})
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		name      string
		count, of int
		low, high float64
	}{
		{"81 of 263 (Newcombe 1998, page 857)", 81, 263, 0.2553, 0.3662},
		{"15 of 148", 15, 148, 0.0624, 0.1605},
		{"0 of 20", 0, 20, 0, 0.1611},
		{"1 of 29", 1, 29, 0.0061, 0.1718},
		{"no trials", 0, 0, 0, 1},
		{"all of 10", 10, 10, 0.7225, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := stats.Wilson(c.count, c.of)
			near(t, "low", got.Low, c.low, 5e-5)
			near(t, "high", got.High, c.high, 5e-5)
		})
	}
}

func TestRatio(t *testing.T) {
	got := stats.Ratio(2, 3, stats.Span{Low: 1, High: 4}, stats.Span{Low: 1.5, High: 6})
	wide := math.Exp(math.Hypot(math.Ln2, math.Ln2)) // each side reaches a factor of two
	near(t, "low", got.Low, 1.5/wide, 1e-9)
	near(t, "high", got.High, 1.5*wide, 1e-9)
	open := stats.Ratio(2, 3, stats.Span{Low: 1, High: 4}, stats.Span{Low: 1.5, High: math.Inf(1)})
	if !math.IsInf(open.High, 1) || open.Low != got.Low {
		t.Errorf("an open end gives %v, want the same low end and an open high one", open)
	}
	if got := stats.Ratio(2, 3, stats.Span{Low: math.Inf(-1), High: 4}, stats.Span{Low: 1.5, High: 6}); !math.IsInf(got.High, 1) {
		t.Errorf("a base without a low end gives %v", got)
	}
}

// Fisher's own example of tea and milk, and that of the convicts' twins, as R's
// fisher.test has them.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		name string
		stats.Counts
		p float64
	}{
		{"tea tasting", stats.Counts{Base: 1, BaseOf: 4, Head: 3, HeadOf: 4}, 0.485714},
		{"convicts' twins", stats.Counts{Base: 2, BaseOf: 17, Head: 10, HeadOf: 13}, 0.0005367},
		{"none against one of 64", stats.Counts{Base: 0, BaseOf: 64, Head: 1, HeadOf: 64}, 1},
		{"nothing on either side", stats.Counts{BaseOf: 64, HeadOf: 64}, 1},
		{"no trials", stats.Counts{HeadOf: 3, Head: 2}, 1},
		{"all against none", stats.Counts{Base: 5, BaseOf: 5, HeadOf: 5}, 0.0079365},
	} {
		t.Run(c.name, func(t *testing.T) { near(t, "p", c.Fisher(), c.p, 5e-7) })
	}
}

// Job satisfaction by sex in two by two: the score test is Pearson's chi-square, here
// of the classic aspirin trial (189 of 11,034 against 104 of 11,037: χ² = 25.01).
func TestScore(t *testing.T) {
	c := stats.Counts{Base: 189, BaseOf: 11034, Head: 104, HeadOf: 11037}
	if c.Small() {
		t.Fatal("these counts are called small")
	}
	near(t, "z", distuv.UnitNormal.Quantile(1-c.Test()/2), math.Sqrt(25.01), 2e-3)
	if c := (stats.Counts{Base: 0, BaseOf: 512, Head: 8, HeadOf: 512}); !c.Small() || c.Test() != c.Fisher() {
		t.Error("small counts are not tested by Fisher")
	}
}

func TestLeast(t *testing.T) {
	near(t, "one of 64 and 64", stats.Counts{Head: 1, BaseOf: 64, HeadOf: 64}.Least(), 1, 1e-9)
	near(t, "six of 64 and 64", stats.Counts{Base: 3, Head: 3, BaseOf: 64, HeadOf: 64}.Least(), stats.Counts{Head: 6, BaseOf: 64, HeadOf: 64}.Fisher(), 1e-9)
}

// The example of every text book: see the doc of R's p.adjust.
func TestHolm(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005}
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "adjusted", stats.Holm(p)[i], want, 1e-12)
	}
	if p[3] != 0.005 || len(stats.Holm(nil)) != 0 {
		t.Error("the p-values were changed, or none became some")
	}
	near(t, "never above 1", stats.Holm([]float64{0.9, 0.8})[0], 1, 0)
}

// Fleiss' worked example: 60 % against 70 % at the level 0.01 with power 0.95 needs 827
// a side.
func TestTrialsNeeded(t *testing.T) {
	if got := stats.TrialsNeededFor(0.6, 0.7, 0.01, 0.95); got != 827 {
		t.Errorf("got %d, want 827", got)
	}
	if got := stats.TrialsNeeded(0.02, 0.02, 0.05); got != 0 {
		t.Errorf("equal rates need %d", got)
	}
	const trials = 512
	least := stats.Detectable(0, trials, 0.05)
	if n := stats.TrialsNeeded(0, least, 0.05); n > trials || n < trials-2 {
		t.Errorf("to tell %.4f from nothing takes %d, and it was to be told by %d", least, n, trials)
	}
	near(t, "nothing can be told by three", stats.Detectable(0.5, 3, 0.05), 1, 0)
}

// The needed number is such that Fisher's exact test finds the difference about as
// often as promised.
func TestTrialsNeededHoldWhatTheyPromise(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ base, head float64 }{{0, 1.0 / 64}, {0.02, 0.05}, {0.3, 0.4}} {
		n := stats.TrialsNeeded(c.base, c.head, 0.05)
		const runs = 200
		found := 0
		for range runs {
			counts := stats.Counts{BaseOf: n, HeadOf: n}
			for range n {
				if chance.Float64() < c.base {
					counts.Base++
				}
				if chance.Float64() < c.head {
					counts.Head++
				}
			}
			if counts.Fisher() <= 0.05 {
				found++
			}
		}
		if found < runs*72/100 || found > runs*95/100 {
			t.Errorf("%.3f against %.3f with %d trials a side: found in %d of %d, want about 80 %%", c.base, c.head, n, found, runs)
		}
	}
}
