package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func constantRate(rate int64, unit, length time.Duration) Scenario {
	return Scenario{Executor: ConstantArrivalRate, Rate: rate, TimeUnit: unit, Duration: length}
}

func rampingRate(start int64, stages ...Stage) Scenario {
	return Scenario{Executor: RampingArrivalRate, StartRate: start, TimeUnit: time.Second, Stages: stages}
}

func TestArrivalTimes(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	tests := []struct {
		name     string
		scenario Scenario
		k        int64
		want     time.Duration
	}{
		{"the first at once", constantRate(10, s, 10*s), 0, 0},
		{"then fractionally spaced", constantRate(10, s, 10*s), 7, 700 * ms},
		{"sevenths", constantRate(7, s, 10*s), 69, 9857142857},
		{"one a minute", constantRate(1, time.Minute, time.Hour), 59, 59 * time.Minute},
		{"no drift after ten days", constantRate(30000, s, 240*time.Hour), 25_919_999_999, 240*time.Hour - 33333},
		{"a ramp from nothing", rampingRate(0, Stage{10 * s, 100}), 0, 0},
		{"a ramp: 5 t² = 125", rampingRate(0, Stage{10 * s, 100}), 125, 5 * s},
		{"a ramp down: 10 t - 5 t² = 3.75", rampingRate(10, Stage{s, 0}), 3, 1e9 - 632455532},
		{"the second stage", rampingRate(10, Stage{s, 10}, Stage{s, 20}), 10, s},
		{"silence first", rampingRate(0, Stage{5 * s, 0}, Stage{s, 10}), 0, 5 * s},
		{"silence between", rampingRate(10, Stage{s, 10}, Stage{0, 0}, Stage{3 * s, 0}, Stage{0, 10}, Stage{s, 10}), 10, 4 * s},
		{"after a jump", rampingRate(1, Stage{s, 1}, Stage{0, 100}, Stage{s, 100}), 51, 1500 * ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newArrivals(tt.scenario)
			if tt.k >= a.count {
				t.Fatalf("arrival %d of %d", tt.k, a.count)
			}
			if got := a.at(tt.k); got != tt.want {
				t.Errorf("arrival %d at %d ns, want %d", tt.k, got, tt.want)
			}
		})
	}
}

// TestArrivalsFollowTheArea draws scenarios: their arrivals come in order, none
// after the end, and each where the area under the rate is its number.
func TestArrivalsFollowTheArea(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		scenario := rampingRate(random.Int64N(50))
		for range 1 + random.IntN(5) {
			scenario.Stages = append(scenario.Stages, Stage{time.Duration(random.Int64N(4e9)), random.Int64N(60)})
		}
		a := newArrivals(scenario)
		last := time.Duration(0)
		for k := range a.count {
			at := a.at(k)
			if at < last || at > scenario.length() {
				t.Fatalf("%+v: arrival %d at %s, after %s, of %s", scenario, k, at, last, scenario.length())
			}
			if area := areaAt(scenario, at); math.Abs(area-float64(k)) > 1e-6 {
				t.Fatalf("%+v: arrival %d at %s, where the area is %v", scenario, k, at, area)
			}
			last = at
		}
		if total := areaAt(scenario, scenario.length()); math.Abs(float64(a.count)-math.Ceil(total-1e-9)) > 0 {
			t.Fatalf("%+v: %d arrivals, area %v", scenario, a.count, total)
		}
	}
}

// areaAt integrates the rate piece by piece.
func areaAt(s Scenario, at time.Duration) (area float64) {
	rate := float64(s.StartRate)
	for _, stage := range s.Stages {
		piece := min(at, stage.Duration)
		to := float64(stage.Target)
		if stage.Duration > 0 {
			to = rate + (to-rate)*float64(piece)/float64(stage.Duration)
		}
		area += (rate + to) / 2 * piece.Seconds()
		at, rate = at-piece, float64(stage.Target)
		if at <= 0 {
			break
		}
	}
	return area
}

// TestStintsFollowTheLine draws ramps: at every moment as many VUs work as the
// rounded line says, and they are the first ones.
func TestStintsFollowTheLine(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		s := Scenario{Executor: RampingVUs, StartVUs: random.IntN(20), GracefulStop: time.Second, GracefulRampDown: time.Duration(random.Int64N(2e9))}
		for range 1 + random.IntN(5) {
			s.Stages = append(s.Stages, Stage{time.Duration(random.IntN(3)) * time.Second, random.Int64N(20)})
		}
		all := make([][]stint, s.peak())
		for i := range all {
			all[i] = s.stints(i)
			checkStints(t, s, all[i])
		}
		for at := time.Duration(1234567); at < s.length(); at += 50 * time.Millisecond {
			line := lineAt(s, at)
			if _, fraction := math.Modf(line); math.Abs(fraction-0.5) < 1e-6 {
				continue // the moment of a step
			}
			for i, list := range all {
				if got, want := working(list, at), i < int(math.Round(line)); got != want {
					t.Fatalf("%+v: at %s the line is %v, VU %d works: %v", s, at, line, i, got)
				}
			}
		}
	}
}

// checkStints expects stints in order, none interrupted before its time.
func checkStints(t *testing.T, s Scenario, list []stint) {
	t.Helper()
	for i, st := range list {
		if st.start >= st.stop || st.hard < st.stop || st.hard > s.length()+s.GracefulStop || i > 0 && st.start < list[i-1].stop {
			t.Fatalf("%+v: stints %v", s, list)
		}
		if i > 0 && list[i-1].hard > st.start && list[i-1].hard != st.hard {
			t.Fatalf("%+v: a stint is interrupted within the next: %v", s, list)
		}
	}
}

func working(list []stint, at time.Duration) bool {
	for _, st := range list {
		if st.start <= at && at < st.stop {
			return true
		}
	}
	return false
}

func lineAt(s Scenario, at time.Duration) float64 {
	value := float64(s.StartVUs)
	for _, stage := range s.Stages {
		if at < stage.Duration {
			return value + (float64(stage.Target)-value)*float64(at)/float64(stage.Duration)
		}
		at, value = at-stage.Duration, float64(stage.Target)
	}
	return value
}

func BenchmarkArrivalTimes(b *testing.B) {
	a := newArrivals(rampingRate(0, Stage{time.Minute, 2000}, Stage{time.Minute, 0}))
	for i := 0; b.Loop(); i++ {
		a.at(int64(i) % a.count)
	}
}
