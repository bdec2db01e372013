package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"mcpstorm/reports/stats"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.6f, want %.6f ± %g", what, got, want, tolerance)
	}
}

// The expected values are those of published tables and of R's binom.test.
func TestClopperPearsonKnownValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		count, of int
		low, high float64
	}{
		{"nothing in a night's run", 0, 512, 0, 0.007179},
		{"rule of three", 0, 300, 0, 0.012220},
		{"none of ten", 0, 10, 0, 0.308497},
		{"one of ten", 1, 10, 0.002529, 0.445016},
		{"five of ten", 5, 10, 0.187086, 0.812914},
		{"all of ten", 10, 10, 0.691503, 1},
		{"one of one", 1, 1, 0.025, 1},
		{"none of one", 0, 1, 0, 0.975},
		{"no trials", 0, 0, 0, 1},
		{"below the range", -3, 10, 0, 0.308497},
		{"above the range", 12, 10, 0.691503, 1},
		{"many", 500_000, 1_000_000, 0.499020, 0.500980},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := stats.ClopperPearson(c.count, c.of)
			near(t, "low", got.Low, c.low, 2e-6)
			near(t, "high", got.High, c.high, 2e-6)
		})
	}
}

// The interval is defined by its tails: at the low end, seeing count or more has
// probability 2.5 %; at the high end, seeing count or fewer has.
func TestClopperPearsonTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(1, 5000).Draw(t, "of")
		count := rapid.IntRange(0, of).Draw(t, "count")
		got := stats.ClopperPearson(count, of)
		rate := float64(count) / float64(of)
		if got.Low > rate || got.High < rate || got.Low < 0 || got.High > 1 {
			t.Fatalf("%d of %d: [%g, %g] does not hold the rate %g", count, of, got.Low, got.High, rate)
		}
		if count > 0 {
			more := 1 - distuv.Binomial{N: float64(of), P: got.Low}.CDF(float64(count-1))
			if math.Abs(more-0.025) > 1e-6 {
				t.Fatalf("%d of %d: upper tail at %g is %g", count, of, got.Low, more)
			}
		}
		if count < of {
			fewer := distuv.Binomial{N: float64(of), P: got.High}.CDF(float64(count))
			if math.Abs(fewer-0.025) > 1e-6 {
				t.Fatalf("%d of %d: lower tail at %g is %g", count, of, got.High, fewer)
			}
		}
	})
}

func TestClustered(t *testing.T) {
	same := func(n int, c stats.Cluster) []stats.Cluster {
		out := make([]stats.Cluster, n)
		for i := range out {
			out[i] = c
		}
		return out
	}
	together := append(same(10, stats.Cluster{Count: 10, Of: 10}), same(90, stats.Cluster{Of: 10})...)
	for _, c := range []struct {
		name     string
		clusters []stats.Cluster
		want     stats.Interval
	}{
		{"nothing at all", nil, stats.Interval{Low: 0, High: 1}},
		{"empty clusters say nothing", same(5, stats.Cluster{}), stats.Interval{Low: 0, High: 1}},
		{"none seen: a cluster is worth one trial", same(512, stats.Cluster{Of: 10}), stats.ClopperPearson(0, 512)},
		{"all seen: likewise", same(20, stats.Cluster{Count: 3, Of: 3}), stats.ClopperPearson(20, 20)},
		{"one cluster is one trial, here half a success", []stats.Cluster{{Count: 2, Of: 4}}, stats.Interval{Low: 0.000386, High: 0.999614}},
		{"a fate shared whole: as many trials as clusters", together, stats.ClopperPearson(10, 100)},
		{"spread evenly: as many trials as operations", same(50, stats.Cluster{Count: 1, Of: 2}), stats.ClopperPearson(50, 100)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := stats.Clustered(c.clusters)
			near(t, "low", got.Low, c.want.Low, 2e-3)
			near(t, "high", got.High, c.want.High, 2e-3)
		})
	}
}

// An interval of 95 % holds the true rate about 95 times in a hundred, whatever the
// sizes of the clusters and however much of a fate their trials share.
func TestClusteredCovers(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	equal := func() int { return 8 }
	upTo20 := func() int { return 1 + chance.IntN(20) }
	fewLarge := func() int {
		if chance.IntN(5) == 0 {
			return 40
		}
		return 1
	}
	for _, c := range []struct {
		name         string
		clusters     int
		size         func() int
		rate, shared float64 // shared is how often a trial takes its cluster's fate
	}{
		{"equal, one fate", 50, equal, 0.2, 1},
		{"equal, a fate partly shared, few clusters", 5, equal, 0.3, 0.3},
		{"equal, a fate partly shared", 10, equal, 0.3, 0.3},
		{"equal, independent and rare", 64, equal, 0.02, 0},
		{"1 to 20, one fate", 50, upTo20, 0.2, 1},
		{"1 to 20, one fate, rare", 50, upTo20, 0.02, 1},
		{"1 or 40, one fate", 512, fewLarge, 0.2, 1},
		{"1 or 40, a fate partly shared", 512, fewLarge, 0.2, 0.3},
	} {
		const runs = 1000
		covered := 0
		for range runs {
			clusters := make([]stats.Cluster, c.clusters)
			for i := range clusters {
				fate := chance.Float64() < c.rate
				clusters[i].Of = c.size()
				for range clusters[i].Of {
					counted := chance.Float64() < c.rate
					if chance.Float64() < c.shared {
						counted = fate
					}
					if counted {
						clusters[i].Count++
					}
				}
			}
			if got := stats.Clustered(clusters); got.Low <= c.rate && c.rate <= got.High {
				covered++
			}
		}
		if covered < runs*93/100 {
			t.Errorf("%s: %d of %d intervals hold the true rate", c.name, covered, runs)
		}
	}
}

// Clusters of one trial each are independent trials.
func TestClusteredOfSinglesIsBinomial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "n")
		count := rapid.IntRange(0, n).Draw(t, "count")
		clusters := make([]stats.Cluster, n)
		for i := range clusters {
			clusters[i].Of = 1
			if i < count {
				clusters[i].Count = 1
			}
		}
		got, want := stats.Clustered(clusters), stats.ClopperPearson(count, n)
		if math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
			t.Fatalf("%d of %d: %v, want %v", count, n, got, want)
		}
	})
}

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	for _, c := range []struct {
		name   string
		sorted []float64
		q      float64
		want   float64
	}{
		{"median of three", []float64{1, 2, 9}, 0.5, 2},
		{"median of four is one that was measured", []float64{1, 2, 3, 4}, 0.5, 2},
		{"lowest", hundred, 0, 1},
		{"highest", hundred, 1, 100},
		{"p99", hundred, 0.99, 99},
		{"a share that floats round up", hundred, 0.07, 7},
		{"below the range", hundred, -1, 1},
		{"above the range", hundred, 7, 100},
		{"one value", []float64{5}, 0.001, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := stats.Quantile(c.sorted, c.q); got != c.want {
				t.Errorf("got %g, want %g", got, c.want)
			}
		})
	}
	if got := stats.Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("no values give %g, want NaN", got)
	}
}

func TestQuantilesLeaveTheValuesAlone(t *testing.T) {
	values := []float64{3, 1, 2}
	got := stats.Quantiles(values, 1, 0.5, 0)
	if got[0] != 3 || got[1] != 2 || got[2] != 1 {
		t.Errorf("got %v, want [3 2 1]", got)
	}
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("the caller's values became %v", values)
	}
}
