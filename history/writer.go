package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"mcpstorm/internal/clock"
)

// queueLength is how many lines may wait to be written before the next writer
// has to wait itself.
const queueLength = 8192

// WriterOptions are the optional settings of a Writer.
type WriterOptions struct {
	// Clock measures stalls; the default is the system's.
	Clock clock.Clock
	// OpenFile makes one file of the history; the default creates it in the run
	// directory. A test hands in a file that fails.
	OpenFile func(path string) (io.WriteCloser, error)
	// PackAbove is the size in bytes above which a file is compressed on
	// closing; zero means 64 MiB, negative means never.
	PackAbove int64
	// FoldAfter is how many metric points get a line of their own before they are
	// folded into one-second buckets; zero means 2 million, negative means all.
	FoldAfter int64
}

// Writer writes the batched files of one run directory. Its methods that take a
// record may be called from any goroutine; a caller waits while the queue is
// full, and the wait is counted. A failed write is remembered, told by Err, and
// every later record is dropped: a run with such an error is inconclusive.
type Writer struct {
	dir     string
	options WriterOptions
	queue   chan line
	done    chan struct{}
	failed  chan struct{}

	closing sync.RWMutex // held for reading while a record is put in the queue
	closed  bool

	waited  atomic.Int64
	stalls  atomic.Int64
	records atomic.Int64

	mu      sync.Mutex
	err     error
	streams map[string]*stream // touched by the writing goroutine alone

	samples *folder
}

type line struct {
	file string
	data []byte
}

type stream struct {
	file  *summing
	buf   *bufio.Writer
	lines int64
	dirty bool
}

// Create makes a run directory, which must be new or empty, and starts writing
// to it. The caller must Close the writer.
func Create(dir string, o WriterOptions) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("history: making the run directory: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("history: reading the run directory: %w", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%w: %s holds %s", ErrExists, dir, entries[0].Name())
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.OpenFile == nil {
		o.OpenFile = func(path string) (io.WriteCloser, error) { return os.Create(path) }
	}
	if o.PackAbove == 0 {
		o.PackAbove = 64 << 20
	}
	w := &Writer{
		dir:     dir,
		options: o,
		queue:   make(chan line, queueLength),
		done:    make(chan struct{}),
		failed:  make(chan struct{}),
		streams: map[string]*stream{},
		samples: newFolder(o.FoldAfter),
	}
	for _, name := range []string{PlanFile, OpsFile, AttemptsFile, RolloutsFile, FaultsFile, SamplesFile} {
		if w.stream(name) == nil {
			w.closeStreams()
			return nil, w.Err()
		}
	}
	go w.write()
	return w, nil
}

// Dir is the run directory.
func (w *Writer) Dir() string { return w.dir }

// Manifest writes manifest.json, replacing an earlier one in one step. The first, before
// the run, also has the witnesses' files of its servers made: later a run that has used
// up its descriptors could not open them. That they cannot be opened is told as any other
// failure of a write. That of a run under way takes more room than it needs: where the
// disk is full in the end, the last word is written over it.
func (w *Writer) Manifest(m Manifest) error {
	w.makeWires(m)
	if err := writeManifest(filepath.Join(w.dir, ManifestFile), m); err != nil {
		return fmt.Errorf("history: writing the manifest: %w", err)
	}
	return nil
}

// makeWires has the writing goroutine open the files, by lines that are empty.
func (w *Writer) makeWires(m Manifest) {
	w.closing.RLock()
	defer w.closing.RUnlock()
	if w.closed {
		return
	}
	for _, arm := range m.Arms {
		for _, server := range arm.Servers {
			w.queue <- line{file: WireFile(server.Name)}
		}
	}
}

// Plan records one rule of the fault plan.
func (w *Writer) Plan(r PlanRule) { w.put(PlanFile, r) }

// Op records one operation.
func (w *Writer) Op(o Op) { w.put(OpsFile, o) }

// Attempt records one exchange as the client saw it.
func (w *Writer) Attempt(a Attempt) { w.put(AttemptsFile, a) }

// Rollout records one rollout.
func (w *Writer) Rollout(r Rollout) { w.put(RolloutsFile, r) }

// Wire records one exchange as the witness saw it.
func (w *Writer) Wire(r Wire) { w.put(WireFile(r.Server), r) }

// Fault records what became of one planned fault.
func (w *Writer) Fault(f Fault) { w.put(FaultsFile, f) }

// Failed is closed when a write has failed; Err then says why.
func (w *Writer) Failed() <-chan struct{} { return w.failed }

// Err is the first failure of a write, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Stalls is how long callers have waited for the queue so far.
func (w *Writer) Stalls() Stalls {
	return Stalls{Waited: time.Duration(w.waited.Load()), Count: w.stalls.Load(), Records: w.records.Load()}
}

// Close writes what is queued, closes every file and compresses the large ones.
// Records that come later are dropped and remembered as an error. It returns
// the first failure of the writer's whole life.
func (w *Writer) Close() error {
	w.flushSamples()
	w.closing.Lock()
	already := w.closed
	w.closed = true
	w.closing.Unlock()
	if already {
		return w.Err()
	}
	close(w.queue)
	<-w.done
	return w.Err()
}

// put hands a record to the writing goroutine, and returns how long its line is.
func (w *Writer) put(file string, record any) (size int) {
	data, err := json.Marshal(record)
	if err != nil {
		w.fail(fmt.Errorf("history: encoding a record of %s: %w", file, err))
		return 0
	}
	w.closing.RLock()
	defer w.closing.RUnlock()
	if w.closed {
		w.fail(fmt.Errorf("%w: a record of %s came late", ErrClosed, file))
		return 0
	}
	w.records.Add(1)
	item := line{file, append(data, '\n')}
	select {
	case w.queue <- item:
		return len(item.data)
	default:
	}
	start := w.options.Clock.Now()
	w.queue <- item
	w.waited.Add(int64(w.options.Clock.Since(start)))
	w.stalls.Add(1)
	return len(item.data)
}

// write is the one goroutine that touches the files. It flushes whenever the
// queue runs empty, so that a killed run leaves nearly all of its history.
func (w *Writer) write() {
	defer close(w.done)
	for item := range w.queue {
		w.writeLine(item)
		if len(w.queue) == 0 {
			w.flush()
		}
	}
	w.flush()
	w.closeStreams()
	if w.Err() == nil {
		w.pack()
	}
}

func (w *Writer) closeStreams() {
	for name, s := range w.streams {
		if err := s.file.Close(); err != nil {
			w.fail(fmt.Errorf("history: closing %s: %w", name, err))
		}
	}
}

func (w *Writer) writeLine(item line) {
	if w.Err() != nil {
		return
	}
	s := w.stream(item.file)
	if s == nil {
		return
	}
	s.dirty = true
	if len(item.data) > 0 {
		s.lines++
	}
	if _, err := s.buf.Write(item.data); err != nil {
		w.fail(fmt.Errorf("history: writing %s: %w", item.file, err))
	}
}

func (w *Writer) flush() {
	for name, s := range w.streams {
		if !s.dirty {
			continue
		}
		s.dirty = false
		if err := s.buf.Flush(); err != nil && w.Err() == nil {
			w.fail(fmt.Errorf("history: writing %s: %w", name, err))
		}
	}
}

func (w *Writer) stream(name string) *stream {
	if s, ok := w.streams[name]; ok {
		return s
	}
	out, err := w.options.OpenFile(filepath.Join(w.dir, name))
	if err != nil {
		w.fail(fmt.Errorf("history: opening %s: %w", name, err))
		return nil
	}
	file := &summing{out, xxhash.New()}
	s := &stream{file: file, buf: bufio.NewWriterSize(file, 64<<10)}
	w.streams[name] = s
	return s
}

func (w *Writer) pack() {
	if w.options.PackAbove < 0 {
		return
	}
	for name := range w.streams {
		if err := packFile(filepath.Join(w.dir, name), w.options.PackAbove); err != nil {
			w.fail(err)
		}
	}
}

// fail remembers the first failure.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	w.err = err
	if !errors.Is(err, ErrClosed) {
		close(w.failed)
	}
}
