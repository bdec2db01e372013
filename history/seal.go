package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
