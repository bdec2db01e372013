package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	fast "github.com/segmentio/encoding/json"
)

// Run is a whole history in memory. Each slice is in file order; files of one
// kind follow one another in order of their names, and those of server processes
// in order of their numbers.
type Run struct {
	Dir      string
	Manifest Manifest
	Plan     []PlanRule
	Ops      []Op
	Attempts []Attempt
	Rollouts []Rollout
	Wire     []Wire
	Faults   []Fault
	Effects  []Effect
	// Resources are what processes held, in the order of each process's file.
	Resources []Resource
	// Gaps names the server processes whose numbering of effects is broken: their
	// record of what they executed is not whole.
	Gaps []Gap
	// Unsealed says that the run was not held against digests: its manifest has none, for
	// it did not come to its end or an older version made it, or a line of it is torn.
	Unsealed bool
}

// Gap is a place in the record of one server process where effects are missing.
type Gap struct {
	Server string
	File   string
	After  int64 // the last number before the gap
	Next   int64 // the number that came then
}

// Open reads a run directory. It returns ErrNoHistory where there is none,
// ErrSchema for a version that it does not know, ErrMissing where records are gone
// that the manifest counted, ErrChanged where a file is not as the run wrote it,
// ErrIrregular for a pipe or a device in a file's place, and a *LineError for a line that
// is corrupt or torn. When every fault found is a torn last line, as a killed writer
// leaves it, the run is returned beside the error.
func Open(dir string) (*Run, error) {
	run := &Run{Dir: dir}
	if err := run.readManifest(); err != nil {
		return nil, err
	}
	names, err := run.names()
	if err != nil {
		return nil, err
	}
	if err := run.checkManifest(names); err != nil {
		return nil, err
	}
	run.makeRoom(names)
	groups := run.groups(names)
	errs := make([]error, len(groups))
	held := make([]map[string]content, len(groups))
	var reading sync.WaitGroup
	for i, g := range groups {
		reading.Go(func() { held[i], errs[i] = g.read(dir) })
	}
	reading.Wait()
	err = errors.Join(errs...)
	for _, one := range errs {
		if one != nil && !onlyTorn(one) {
			return nil, one
		}
	}
	if err != nil {
		run.Unsealed = true
		return run, err
	}
	read := map[string]content{}
	for _, c := range held {
		maps.Copy(read, c)
	}
	if err := run.checkContents(read); err != nil {
		return nil, err
	}
	return run, nil
}

// onlyTorn reports whether nothing worse than torn last lines was found.
func onlyTorn(err error) bool {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range many.Unwrap() {
			if !errors.Is(one, ErrTorn) {
				return false
			}
		}
		return true
	}
	return errors.Is(err, ErrTorn)
}

func (r *Run) readManifest() error {
	data, err := readRegular(filepath.Join(r.Dir, ManifestFile))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s has no %s", ErrNoHistory, r.Dir, ManifestFile)
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return r.parseManifest(data)
}

func (r *Run) parseManifest(data []byte) error {
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return &LineError{File: ManifestFile, Line: 1, Err: ErrCorrupt, Text: err.Error()}
	}
	if version.Schema != Schema {
		return fmt.Errorf("%w: %s says %d, this version reads %d", ErrSchema, ManifestFile, version.Schema, Schema)
	}
	if err := json.Unmarshal(data, &r.Manifest); err != nil {
		return &LineError{File: ManifestFile, Line: 1, Err: ErrCorrupt, Text: err.Error()}
	}
	return nil
}

// source is one file and how to take in a line of it.
type source struct {
	name string
	take func(data []byte) error
}

// group is files that fill one slice, one after another. Groups are read side by
// side.
type group []source

// read reads the group's files, and says what each holds.
func (g group) read(dir string) (held map[string]content, err error) {
	held = map[string]content{}
	for _, f := range g {
		c, one := f.read(dir)
		if one != nil && !errors.Is(one, ErrTorn) {
			return nil, one
		}
		held[f.name] = c
		err = errors.Join(err, one)
	}
	return held, err
}

// makeRoom makes each list as long as it will be.
func (r *Run) makeRoom(names []string) {
	r.Faults = make([]Fault, 0, r.lines(FaultsFile))
	r.Rollouts = make([]Rollout, 0, r.lines(RolloutsFile))
	r.Ops = make([]Op, 0, r.lines(OpsFile))
	r.Attempts = make([]Attempt, 0, r.lines(AttemptsFile))
	r.Wire = make([]Wire, 0, r.lines(withPrefix(names, wirePrefix)...))
	r.Effects = make([]Effect, 0, r.lines(withPrefix(names, effectsPrefix)...))
}

// groups are what there is to read, of the files of these names. The fixed files must
// exist.
func (r *Run) groups(names []string) []group {
	groups := []group{
		{{PlanFile, into(&r.Plan)}, {FaultsFile, into(&r.Faults)}, {RolloutsFile, into(&r.Rollouts)}},
		{{OpsFile, into(&r.Ops)}},
		{{AttemptsFile, into(&r.Attempts)}},
	}
	var wires, effects, resources group
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, wirePrefix):
			wires = append(wires, source{name, into(&r.Wire)})
		case strings.HasPrefix(name, effectsPrefix):
			effects = append(effects, source{name, r.effectsOf(name)})
		case strings.HasPrefix(name, resourcesPrefix):
			resources = append(resources, source{name, into(&r.Resources)})
		}
	}
	return append(groups, wires, effects, resources)
}

// names lists the files of the run, packed or plain, under their plain names.
func (r *Run) names() ([]string, error) {
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), packedSuffix); isHistory(name) {
			names[name] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Slice(sorted, func(i, j int) bool { return inOrder(sorted[i], sorted[j]) })
	return sorted, nil
}

// inOrder puts effects.sim.2 before effects.sim.10.
func inOrder(a, b string) bool {
	if len(a) != len(b) && strings.HasPrefix(a, effectsPrefix) && strings.HasPrefix(b, effectsPrefix) {
		return len(a) < len(b)
	}
	return a < b
}

// effectsOf takes in the effects of one server process, and notes where its
// numbering, which runs from 1 without a gap, is broken.
func (r *Run) effectsOf(file string) func([]byte) error {
	take, last := into(&r.Effects), int64(0)
	return func(data []byte) error {
		if err := take(data); err != nil {
			return err
		}
		e := &r.Effects[len(r.Effects)-1]
		if e.N != last+1 {
			r.Gaps = append(r.Gaps, Gap{Server: e.Server, File: file, After: last, Next: e.N})
		}
		last = e.N
		return nil
	}
}

// ReadSamples hands every metric point of a run to a function, in file order, and
// stops at its first error. Judging needs none of them, and they are many, so
// Open leaves them where they are. That the file is not as the run wrote it is an error
// that wraps ErrChanged, once all of it was handed over.
func ReadSamples(dir string, take func(Sample) error) error {
	held, err := samples(take).read(dir)
	if err != nil {
		return err
	}
	run := &Run{Dir: dir}
	if err := run.readManifest(); errors.Is(err, ErrNoHistory) {
		return nil // nothing says what they were
	} else if err != nil || run.Manifest.Digests == nil {
		return err
	}
	return run.Manifest.checkDigest(SamplesFile, held.digest)
}

func samples(take func(Sample) error) source {
	return source{SamplesFile, func(data []byte) error {
		var s Sample
		if err := decode(data, &s); err != nil {
			return err
		}
		return take(s)
	}}
}

// maxBrackets is far more than any record has. The fast decoder bounds no depth of
// nesting, so a line with more is left to the standard one, which does.
const maxBrackets = 1000

// errForeign says that a line holds something else than a record.
var errForeign = errors.New("want one JSON object")

func decode(data []byte, into any) error {
	if trimmed := bytes.TrimLeft(data, " \t\r"); len(trimmed) == 0 || trimmed[0] != '{' {
		return errForeign
	}
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxBrackets {
		return json.Unmarshal(data, into)
	}
	return fast.Unmarshal(data, into)
}

// into takes lines in at the end of a list.
func into[T any](list *[]T) func([]byte) error {
	shape, lines := shapeOf(reflect.TypeFor[T]()), &scanner{}
	return func(data []byte) error {
		n := len(*list)
		*list = slices.Grow(*list, 1)[:n+1] // what lies beyond the end of a list is zero
		record := &(*list)[n]
		if lines.scan(data, shape, unsafe.Pointer(record)) {
			return nil
		}
		*record = *new(T)
		return decode(data, record)
	}
}

// lines is how many lines the manifest says that files hold, and no more than their
// sizes allow: a line takes more than twenty bytes, or more than one where it is
// packed. A list of that size is never copied while it is filled.
func (r *Run) lines(names ...string) (n int64) {
	for _, name := range names {
		path := filepath.Join(r.Dir, name)
		most := int64(0)
		if info, err := os.Stat(path); err == nil {
			most = info.Size() / 20
		} else if info, err := os.Stat(path + packedSuffix); err == nil {
			most = info.Size()
		}
		n += max(min(r.Manifest.Records[name], most), 0)
	}
	return n
}

func withPrefix(names []string, prefix string) (list []string) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			list = append(list, name)
		}
	}
	return list
}

// read takes in every line of the file, and says what it holds.
func (s source) read(dir string) (held content, err error) {
	in, err := openLines(filepath.Join(dir, s.name))
	if err != nil {
		return content{}, fmt.Errorf("history: %w", err)
	}
	defer in.Close()
	sum := xxhash.New()
	held.lines, err = s.readFrom(io.TeeReader(in, sum))
	held.digest = digestText(sum)
	return held, err
}

func (s source) readFrom(in io.Reader) (n int64, err error) {
	lines := bufio.NewReaderSize(in, 256<<10)
	for ; ; n++ {
		data, err := readLine(lines)
		switch {
		case errors.Is(err, io.EOF) && len(data) == 0:
			return n, nil
		case errors.Is(err, io.EOF):
			return n, s.at(n, ErrTorn, fmt.Sprintf("%d bytes without an end", len(data)))
		case err == nil:
			err = s.take(data)
		}
		if err != nil {
			return n, s.at(n, ErrCorrupt, err.Error())
		}
	}
}

// at places an error after so many lines of the file.
func (s source) at(n int64, kind error, text string) error {
	return &LineError{File: s.name, Line: int(n) + 1, Err: kind, Text: text}
}

// readLine returns one line without its end. The bytes are valid until the next
// call, unless the line is longer than the reader's buffer.
func readLine(r *bufio.Reader) ([]byte, error) {
	data, err := r.ReadSlice('\n')
	if err == nil {
		return data[:len(data)-1], nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return data, err
	}
	long := bytes.Clone(data)
	rest, err := r.ReadBytes('\n')
	long = append(long, rest...)
	return bytes.TrimSuffix(long, []byte("\n")), err
}
