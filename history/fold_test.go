package history_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// samplesOf writes samples, and reads them back with what the writer says of them.
func samplesOf(t *testing.T, after int64, all []history.Sample) ([]history.Sample, history.Samples) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := history.Create(dir, history.WriterOptions{FoldAfter: after})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		w.Sample(s)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var read []history.Sample
	if err := history.ReadSamples(dir, func(s history.Sample) error { read = append(read, s); return nil }); err != nil {
		t.Fatal(err)
	}
	return read, w.Samples()
}

func at(d time.Duration) history.Instant { return history.Instant(d) }

func TestSamplesAreFoldedBySecond(t *testing.T) {
	tags := map[string]string{"kind": "turn", "told": "ok"}
	point := func(v float64, when time.Duration) history.Sample {
		return history.Sample{Arm: "main", Metric: "took", Value: v, Tags: tags, At: at(when)}
	}
	got, counts := samplesOf(t, 2, []history.Sample{
		point(1, 0), point(2, 1),
		point(3, 2*time.Second), point(0, 2*time.Second+999*time.Millisecond), point(9, 3*time.Second),
		{Arm: "main", Metric: "took", Value: 5, Tags: map[string]string{"told": "ok", "kind": "tool"}, At: at(2 * time.Second)},
		{Arm: "other", Metric: "took", Value: 6, Tags: tags, At: at(2 * time.Second)},
		{Arm: "main", Metric: "vus", Value: -7, At: at(2 * time.Second)},
		point(-3, 2*time.Second+500*time.Millisecond),
	})
	bucket := func(s history.Sample, b history.Bucket) history.Sample {
		s.Value, s.Bucket = b.Sum/float64(b.Count), &b
		return s
	}
	want := []history.Sample{
		point(1, 0), point(2, 1),
		bucket(history.Sample{Arm: "main", Metric: "took", Tags: map[string]string{"told": "ok", "kind": "tool"}, At: at(2 * time.Second)}, history.Bucket{Count: 1, NonZero: 1, Sum: 5, Min: 5, Max: 5, Last: 5}),
		bucket(point(0, 2*time.Second), history.Bucket{Count: 3, NonZero: 2, Sum: 0, Min: -3, Max: 3, Last: -3}),
		bucket(history.Sample{Arm: "main", Metric: "vus", At: at(2 * time.Second)}, history.Bucket{Count: 1, NonZero: 1, Sum: -7, Min: -7, Max: -7, Last: -7}),
		bucket(history.Sample{Arm: "other", Metric: "took", Tags: tags, At: at(2 * time.Second)}, history.Bucket{Count: 1, NonZero: 1, Sum: 6, Min: 6, Max: 6, Last: 6}),
		bucket(point(0, 3*time.Second), history.Bucket{Count: 1, NonZero: 1, Sum: 9, Min: 9, Max: 9, Last: 9}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want := (history.Samples{Form: history.SamplesFolded, Points: 2, Folded: 7, Buckets: 5}); counts != want {
		t.Errorf("counted %+v, want %+v", counts, want)
	}
}

// TestFoldingLosesNothing writes samples of minutes, late ones among them, and more
// series than stay open: counts and sums are whole, and the lines are few.
func TestFoldingLosesNothing(t *testing.T) {
	const n = 9_000
	var all []history.Sample
	for i := range n {
		when := time.Duration(i) * 40 * time.Millisecond
		if i%7 == 0 {
			when /= 2 // an iteration that took long
		}
		all = append(all, history.Sample{
			Arm: "main", Metric: "took", Value: float64(i % 5), At: at(when),
			Tags: map[string]string{"tool": fmt.Sprint(i % 3)},
		})
	}
	for i := range 10_500 {
		all = append(all, history.Sample{Arm: "main", Metric: "own", Value: 1, At: at(time.Hour), Tags: map[string]string{"n": fmt.Sprint(i)}})
	}
	got, counts := samplesOf(t, 100, all)
	var count int64
	var sum, want float64
	for _, s := range got {
		count += s.Count()
		sum += s.Sum()
	}
	for _, s := range all {
		want += s.Value
	}
	if count != int64(len(all)) || sum != want {
		t.Errorf("%d samples with the sum %v, want %d and %v", count, sum, len(all), want)
	}
	if counts.Points+counts.Folded != count || counts.Points+counts.Buckets != int64(len(got)) {
		t.Errorf("the writer says %+v of %d lines", counts, len(got))
	}
	if lines := len(got) - 10_500; lines > n/3 {
		t.Errorf("%d lines for %d samples", lines, n)
	}
}

func TestSamplesBelowTheBoundStayPoints(t *testing.T) {
	for _, after := range []int64{0, 3, -1} {
		all := make([]history.Sample, 3)
		for i := range all {
			all[i] = history.Sample{Arm: "main", Metric: "n", Value: float64(i)}
		}
		got, counts := samplesOf(t, after, all)
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("after %d (-want +got)\n%s", after, diff)
		}
		if want := (history.Samples{Form: history.SamplesPoints, Points: 3}); counts != want {
			t.Errorf("after %d: %+v, want %+v", after, counts, want)
		}
	}
}

// TestSamplesFromManyGoroutines folds samples of many writers at once.
func TestSamplesFromManyGoroutines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := history.Create(dir, history.WriterOptions{FoldAfter: 50})
	if err != nil {
		t.Fatal(err)
	}
	var writing sync.WaitGroup
	for range 8 {
		writing.Go(func() {
			for i := range 1000 {
				w.Sample(history.Sample{Arm: "main", Metric: "n", Value: 1, At: at(time.Duration(i) * 40 * time.Millisecond)})
			}
		})
	}
	writing.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var sum float64
	if err := history.ReadSamples(dir, func(s history.Sample) error { sum += s.Sum(); return nil }); err != nil || sum != 8000 {
		t.Errorf("the sum is %v, %v; want 8000", sum, err)
	}
}
