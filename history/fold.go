package history

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// foldAfter and foldAbove are how many samples, and how many bytes of them, are
	// written one by one. Everything after is folded into buckets, so that the
	// history of a long run stays small.
	foldAfter = 2_000_000
	foldAbove = 256 << 20
	// bucketLength is the time that one bucket stands for.
	bucketLength = time.Second
	// bucketsKept is how often buckets are written, by the time of the newest sample:
	// an iteration hands in its samples when it ends, and not in order.
	bucketsKept = 10 * time.Second
	// bucketsOpen bounds the buckets that are open. When there are more, all are
	// written, and a second may have several buckets of the same series.
	bucketsOpen = 10_000
)

// Bucket is the samples of one second, of one metric and set of tags, in the place
// of the samples themselves. A second may have several.
type Bucket struct {
	Count   int64   `json:"count"` // samples
	NonZero int64   `json:"nonzero"`
	Sum     float64 `json:"sum"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Last    float64 `json:"last"` // in the order in which they came
}

// Count is how many samples the line stands for: 1 for a point.
func (s Sample) Count() int64 {
	if s.Bucket == nil {
		return 1
	}
	return s.Bucket.Count
}

// Sum is the sum of the samples that the line stands for.
func (s Sample) Sum() float64 {
	if s.Bucket == nil {
		return s.Value
	}
	return s.Bucket.Sum
}

// The forms of samples.ndjson.
const (
	SamplesPoints = "points"                          // every line is one sample
	SamplesFolded = "points, then one-second buckets" // lines with a bucket follow
)

// Samples says in what form the metric points of a run were kept.
type Samples struct {
	Form string `json:"form"`
	// Points counts the samples that have a line of their own, Folded those in
	// buckets, and Buckets the lines of those.
	Points  int64 `json:"points"`
	Folded  int64 `json:"folded,omitempty"`
	Buckets int64 `json:"buckets,omitempty"`
}

// folder keeps samples small: points up to a bound, and then buckets.
type folder struct {
	after int64 // points; negative for no bound

	mu      sync.Mutex
	counts  Samples
	bytes   int64
	open    map[string]*Sample
	newest  Instant // of the folded samples
	written Instant // newest, when buckets were last written
	key     []byte  // reused
}

func newFolder(after int64) *folder {
	if after == 0 {
		after = foldAfter
	}
	return &folder{after: after, open: make(map[string]*Sample), counts: Samples{Form: SamplesPoints}}
}

// Samples says in what form the metric points have been kept so far.
func (w *Writer) Samples() Samples {
	w.samples.mu.Lock()
	defer w.samples.mu.Unlock()
	return w.samples.counts
}

// Sample records one metric point. Beyond a number of points that WriterOptions
// gives it is folded into a bucket of its second.
func (w *Writer) Sample(s Sample) {
	f := w.samples
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.after < 0 || f.counts.Points < f.after && f.bytes < foldAbove {
		f.counts.Points++
		f.bytes += int64(w.put(SamplesFile, s))
		return
	}
	f.fold(s)
	if f.newest-f.written >= Instant(bucketsKept) || len(f.open) >= bucketsOpen {
		f.flush(w)
	}
}

// fold takes one sample into the bucket of its second.
func (f *folder) fold(s Sample) {
	if f.counts.Folded++; f.counts.Folded == 1 {
		f.counts.Form, f.newest, f.written = SamplesFolded, s.At, s.At
	}
	f.newest = max(f.newest, s.At)
	second := s.At - s.At%Instant(bucketLength)
	f.name(s, second)
	one := f.open[string(f.key)]
	if one == nil {
		one = &Sample{Arm: s.Arm, Metric: s.Metric, Tags: s.Tags, At: second, Bucket: &Bucket{Min: s.Value, Max: s.Value}}
		f.open[string(f.key)] = one
	}
	b := one.Bucket
	b.Count++
	if s.Value != 0 {
		b.NonZero++
	}
	b.Sum += s.Value
	b.Min, b.Max, b.Last = min(b.Min, s.Value), max(b.Max, s.Value), s.Value
}

// name writes the name of a sample's bucket into key: equal for the same second,
// arm, metric and tags, and in the order of their time.
func (f *folder) name(s Sample, second Instant) {
	f.key = binary.BigEndian.AppendUint64(f.key[:0], uint64(second))
	add := func(text string) { f.key = append(append(f.key, text...), 0) }
	add(s.Arm)
	add(s.Metric)
	for _, tag := range slices.Sorted(maps.Keys(s.Tags)) {
		add(tag)
		add(s.Tags[tag])
	}
}

// flush writes every open bucket, oldest first. The value of its line is the mean.
func (f *folder) flush(w *Writer) {
	for _, key := range slices.Sorted(maps.Keys(f.open)) {
		one := f.open[key]
		one.Value = one.Bucket.Sum / float64(one.Bucket.Count)
		w.put(SamplesFile, *one)
		f.counts.Buckets++
	}
	clear(f.open)
	f.written = f.newest
}

// flushSamples writes the buckets that are open at the end.
func (w *Writer) flushSamples() {
	w.samples.mu.Lock()
	defer w.samples.mu.Unlock()
	w.samples.flush(w)
}
