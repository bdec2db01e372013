package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// content is what a file of a history holds: its lines, and a digest of all its bytes
// before they were packed. The digest tells of damage and of a mix-up, at more bytes a
// second than a disk gives; it is no proof against one who writes another manifest too.
type content struct {
	lines  int64
	digest string
}

func digestText(sum *xxhash.Digest) string { return fmt.Sprintf("xxh64:%016x", sum.Sum64()) }

// summing is a file that digests what is written to it, as far as it was written.
type summing struct {
	io.WriteCloser
	sum *xxhash.Digest
}

// Write implements io.Writer.
func (s *summing) Write(p []byte) (int, error) {
	n, err := s.WriteCloser.Write(p)
	_, _ = s.sum.Write(p[:n]) // it never fails
	return n, err
}

// Seal puts into a manifest what every file of the run directory holds, so that a reader
// notices what was changed later: what the writer has written itself as it wrote it, and
// the records of server processes as they lie there. It is for a writer that was closed.
// Where a write has failed, or the record of a server process is torn, the manifest is
// not sealed, and the error says why.
func (w *Writer) Seal(m *Manifest) error {
	select {
	case <-w.failed:
		return w.Err()
	default:
	}
	own := make(map[string]content, len(w.streams))
	for name, s := range w.streams {
		own[name] = content{s.lines, digestText(s.file.sum)}
	}
	return m.seal(w.dir, own)
}

// Seal is Writer.Seal for a run directory that nobody writes to: it reads every file.
func (m *Manifest) Seal(dir string) error { return m.seal(dir, nil) }

func (m *Manifest) seal(dir string, known map[string]content) error {
	names, err := (&Run{Dir: dir}).names()
	if err != nil {
		return err
	}
	records, digests := map[string]int64{}, map[string]string{}
	for _, name := range names {
		if _, own := known[name]; own {
			continue
		}
		held, err := contentOf(dir, name)
		if err != nil {
			return err
		}
		digests[name], records[name] = held.digest, held.lines
	}
	for name, held := range known {
		digests[name], records[name] = held.digest, held.lines
	}
	delete(records, MetricsFile) // it has no records
	m.Records, m.Digests = records, digests
	return nil
}

// contentOf reads what a file holds. The error wraps ErrTorn where its last line has no
// end.
func contentOf(dir, name string) (content, error) {
	in, err := openLines(filepath.Join(dir, name))
	if err != nil {
		return content{}, fmt.Errorf("history: %w", err)
	}
	defer in.Close()
	held, sum, torn := content{}, xxhash.New(), false
	for lines := bufio.NewReaderSize(io.TeeReader(in, sum), 256<<10); ; {
		switch piece, err := lines.ReadSlice('\n'); {
		case err == nil:
			held.lines++
			torn = false
		case errors.Is(err, bufio.ErrBufferFull):
			torn = true
		case errors.Is(err, io.EOF) && !torn && len(piece) == 0:
			held.digest = digestText(sum)
			return held, nil
		case errors.Is(err, io.EOF):
			return content{}, &LineError{File: name, Line: int(held.lines) + 1, Err: ErrTorn}
		default:
			return content{}, fmt.Errorf("history: reading %s: %w", name, err)
		}
	}
}

// isHistory reports whether a file, by its plain name, holds something of a history
// beside its manifest.
func isHistory(name string) bool {
	if slices.Contains([]string{PlanFile, OpsFile, AttemptsFile, RolloutsFile, FaultsFile, SamplesFile, MetricsFile}, name) {
		return true
	}
	return strings.HasSuffix(name, lineSuffix) && slices.ContainsFunc(
		[]string{wirePrefix, effectsPrefix, resourcesPrefix},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) },
	)
}

// ended reports whether the run came to its end and its history is whole.
func (m *Manifest) ended() bool { return m.State == StateFinished || m.State == StateStopped }

// checkManifest refuses a manifest that cannot be that of these files, which are those of
// the run directory by their plain names.
func (r *Run) checkManifest(names []string) error {
	m := &r.Manifest
	if m.ended() && m.Records == nil {
		return fmt.Errorf("%w: %s says that the run ended, and has lost its records", ErrMissing, ManifestFile)
	}
	for _, name := range withPrefix(names, effectsPrefix) {
		for _, arm := range m.Arms {
			for _, server := range arm.Servers {
				if !server.Effects && isEffectsOf(name, server.Name) {
					return fmt.Errorf("%w: %s says that %s records no effects, and %s is there", ErrChanged, ManifestFile, server.Name, name)
				}
			}
		}
	}
	return nil
}

// isEffectsOf reports whether a file is the record of one process of a server.
func isEffectsOf(name, server string) bool {
	process, ok := strings.CutPrefix(strings.TrimSuffix(name, lineSuffix), effectsPrefix+server+".")
	return ok && !strings.Contains(process, ".")
}

// checkContents holds what was read against what the manifest says there was.
func (r *Run) checkContents(read map[string]content) error {
	for name, want := range r.Manifest.Records {
		got, ok := read[name]
		if ok && got.lines != want {
			return fmt.Errorf("%w: %s holds %d, the manifest says %d", ErrMissing, name, got.lines, want)
		}
		if !ok && name != SamplesFile {
			return fmt.Errorf("%w: %s is gone, the manifest says that it held %d", ErrMissing, name, want)
		}
	}
	if r.Unsealed = r.Manifest.Digests == nil; r.Unsealed {
		return nil
	}
	for name, held := range read {
		if err := r.Manifest.checkDigest(name, held.digest); err != nil {
			return err
		}
	}
	return r.Manifest.checkMetrics(r.Dir)
}

func (m *Manifest) checkDigest(name, got string) error {
	switch want, ok := m.Digests[name]; {
	case !ok:
		return fmt.Errorf("%w: %s is none of the files that the manifest has a digest of", ErrChanged, name)
	case got != want:
		return fmt.Errorf("%w: %s has the digest %s, the manifest says %s", ErrChanged, name, got, want)
	}
	return nil
}

// checkMetrics holds metrics.json, which has no lines, against its digest.
func (m *Manifest) checkMetrics(dir string) error {
	want, sealed := m.Digests[MetricsFile]
	data, err := readRegular(filepath.Join(dir, MetricsFile))
	switch {
	case errors.Is(err, os.ErrNotExist) && !sealed:
		return nil
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %s is gone, the manifest has its digest %s", ErrMissing, MetricsFile, want)
	case err != nil:
		return fmt.Errorf("history: %w", err)
	}
	sum := xxhash.New()
	_, _ = sum.Write(data)
	return m.checkDigest(MetricsFile, digestText(sum))
}
