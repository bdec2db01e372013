package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mcpstorm/reports/stats"
)

func chanceOf(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }

func ones(n, counted int) []stats.Cluster {
	list := make([]stats.Cluster, n)
	for i := range list {
		list[i].Of = 1
		if i < counted {
			list[i].Count = 1
		}
	}
	return list
}

// With one trial a cluster the permutation test is Fisher's exact test.
func TestPermuteOfSinglesIsFisher(t *testing.T) {
	for _, c := range []struct {
		name string
		stats.Counts
	}{
		{"convicts' twins", stats.Counts{Base: 2, BaseOf: 17, Head: 10, HeadOf: 13}},
		{"none against one of 64", stats.Counts{BaseOf: 64, Head: 1, HeadOf: 64}},
		{"none against ten of 512", stats.Counts{BaseOf: 512, Head: 10, HeadOf: 512}},
		{"nothing", stats.Counts{BaseOf: 20, HeadOf: 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := stats.Permute(ones(c.BaseOf, c.Base), ones(c.HeadOf, c.Head), chanceOf(1))
			near(t, "p", got, c.Fisher(), 0.15*c.Fisher()+0.001)
		})
	}
}

// Operations of one rollout share a fate: one rollout that lost all its ten is one
// event, and not ten.
func TestPermuteKeepsClustersTogether(t *testing.T) {
	base, head := make([]stats.Cluster, 64), make([]stats.Cluster, 64)
	for i := range base {
		base[i].Of, head[i].Of = 10, 10
	}
	head[0].Count = 10
	if p := stats.Permute(base, head, chanceOf(2)); p < 0.9 {
		t.Errorf("p = %.3f, want about 1", p)
	}
	if p := (stats.Counts{BaseOf: 640, Head: 10, HeadOf: 640}).Test(); p > 0.01 {
		t.Errorf("a test that took operations for independent gives %.3f: the example shows nothing", p)
	}
	again, once := stats.Permute(head, base, chanceOf(3)), stats.Permute(head, base, chanceOf(3))
	near(t, "the same stream", again, once, 0)
}

// Of two samples of one distribution, one in twenty is called different.
func TestPermuteKeepsItsLevel(t *testing.T) {
	chance := chanceOf(4)
	const runs = 250
	alarms := 0
	for range runs {
		side := func() []stats.Cluster {
			list := make([]stats.Cluster, 60)
			for i := range list {
				list[i].Of = 1 + chance.IntN(8)
				if chance.Float64() < 0.2 {
					list[i].Count = list[i].Of
				}
			}
			return list
		}
		if stats.Permute(side(), side(), chance) <= 0.05 {
			alarms++
		}
	}
	if alarms > runs*8/100 || alarms < runs*2/100 {
		t.Errorf("%d of %d are called different, want about 5 %%", alarms, runs)
	}
}

// touched is rollouts that have a part of their operations counted with a chance.
func touched(chance *rand.Rand, n int, share float64) []stats.Cluster {
	list := make([]stats.Cluster, n)
	for i := range list {
		list[i].Of = 5 + chance.IntN(2)
		if chance.Float64() < share {
			list[i].Count = 1 + chance.IntN(4)
		}
	}
	return list
}

// The interval of a permuted difference leaves out 0 exactly where its p-value is at
// most 5 %, and holds the true difference 95 times in a hundred, also where one side
// saw nothing.
func TestPermutedDifferenceAgreesAndCovers(t *testing.T) {
	const runs = 40
	for _, c := range []struct {
		name       string
		n, m       int // rollouts
		base, head float64
		moved      int // intervals that the test moved, at least
		found      int // differences that it finds, at least
	}{
		{"none against many of 16", 16, 16, 0, 0.5, 10, 30},
		{"many of 16 against none", 16, 16, 0.5, 0, 10, 30},
		{"few against some of 40", 40, 40, 0.05, 0.25, 1, 20},
		{"sides of two sizes", 60, 20, 0.1, 0.4, 0, 20},
		{"alike", 30, 30, 0.2, 0.2, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			chance := chanceOf(8)
			covered, moved, found := 0, 0, 0
			truth := 2.5 / 5.5 * (c.head - c.base)
			for range runs {
				base, head := touched(chance, c.n, c.base), touched(chance, c.m, c.head)
				p, span := stats.PermutedDifference(base, head, chance)
				if span.Holds(0) != (p > 0.05) {
					t.Fatalf("p = %.4f with %+v", p, span)
				}
				if !span.Holds(stats.ClusteredRate(head).Value - stats.ClusteredRate(base).Value) {
					t.Fatalf("what was seen is not in %+v", span)
				}
				if span.Holds(truth) {
					covered++
				}
				if p <= 0.05 {
					found++
				}
				if span != stats.Difference(stats.ClusteredRate(base), stats.ClusteredRate(head)) {
					moved++
				}
			}
			t.Logf("of %d intervals %d hold the truth, %d leave out 0 and %d were moved", runs, covered, found, moved)
			if covered < 36 || moved < c.moved || found < c.found {
				t.Errorf("want 36, %d and %d of them at least", c.found, c.moved)
			}
		})
	}
}

// The ranks are those of the tables for the median, such as Conover's A3.
func TestQuantileInterval(t *testing.T) {
	ranks := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(i + 1)
		}
		return list
	}
	for _, c := range []struct {
		name      string
		n         int
		q         float64
		low, high float64
	}{
		{"median of 10", 10, 0.5, 2, 9},
		{"median of 20", 20, 0.5, 6, 15},
		{"median of 5: too few", 5, 0.5, math.Inf(-1), math.Inf(1)},
		{"p99 of 367: no upper end", 367, 0.99, 359, math.Inf(1)},
		{"p99 of 368", 368, 0.99, 360, 368},
		{"nothing", 0, 0.5, math.Inf(-1), math.Inf(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := stats.QuantileInterval(ranks(c.n), c.q); got.Low != c.low || got.High != c.high {
				t.Errorf("got ranks %v, want %g to %g", got, c.low, c.high)
			}
		})
	}
	if got := stats.ValuesFor(0.99); got != 368 {
		t.Errorf("p99 needs %d values, want 368", got)
	}
}

// The interval of a quantile holds the true one about 95 times in a hundred, also where
// the values of a cluster are alike.
func TestClusteredQuantilesCover(t *testing.T) {
	chance := chanceOf(5)
	const runs = 100
	covered := 0
	for range runs {
		clusters := make([][]float64, 80)
		for i := range clusters {
			slow := chance.ExpFloat64()
			for range 5 {
				clusters[i] = append(clusters[i], slow)
			}
		}
		if got := stats.ClusteredQuantiles(clusters, []float64{0.5}, chance); got[0].Holds(math.Ln2) {
			covered++
		}
	}
	if covered < runs*90/100 {
		t.Errorf("%d of %d intervals hold the median", covered, runs)
	}
}

func TestClusteredQuantiles(t *testing.T) {
	clusters := [][]float64{{3, 1}, {2}, {}, {5, 4}}
	got := stats.ClusteredQuantiles(clusters, []float64{0.5, 0.99}, chanceOf(6))
	if got[0].Value != 3 || got[1].Value != 5 || !math.IsInf(got[1].High, 1) {
		t.Errorf("got %+v", got)
	}
	if got := stats.ClusteredQuantiles(nil, []float64{0.5}, chanceOf(6)); got != nil {
		t.Errorf("no values give %v", got)
	}
}

// LeastPermuted is what Permute gives for the deal that is farthest apart.
func TestLeastPermuted(t *testing.T) {
	rate := func(n, count, of int) []stats.Cluster {
		list := make([]stats.Cluster, n)
		for i := range list {
			list[i] = stats.Cluster{Count: count, Of: of}
		}
		return list
	}
	for _, c := range []struct {
		name       string
		base, head []stats.Cluster
		want       float64
	}{
		{"one event", rate(64, 0, 10), append(rate(63, 0, 10), rate(1, 10, 10)...), 1},
		{"six events", ones(64, 3), ones(64, 3), stats.Counts{Head: 6, BaseOf: 64, HeadOf: 64}.Fisher()},
		{"all of them touched, and at two rates", rate(5, 1, 10), rate(5, 9, 10), 2.0 / 252},
		{"all at one rate", rate(5, 1, 10), rate(5, 1, 10), 1},
		{"nothing on a side", nil, rate(5, 1, 10), 1},
		{"sides of two sizes", rate(2, 1, 10), rate(8, 9, 10), 1.0 / 45},
	} {
		t.Run(c.name, func(t *testing.T) {
			least := stats.LeastPermuted(c.base, c.head)
			near(t, "least", least, c.want, 1e-9)
			if p := stats.Permute(c.base, c.head, chanceOf(7)); p < 0.7*least {
				t.Errorf("p = %g is below the least of %g", p, least)
			}
		})
	}
	if p := (stats.Counts{}).Test(); p != 1 {
		t.Errorf("no trials give p = %g, want 1", p)
	}
}
