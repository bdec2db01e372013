package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// CountRecords counts the lines of every file of a run directory, for the
// manifest. A torn last line counts as none.
func CountRecords(dir string) (map[string]int64, error) {
	run := &Run{Dir: dir}
	names, err := run.names()
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, name := range names {
		if !strings.HasSuffix(name, lineSuffix) {
			continue
		}
		if counts[name], err = countLines(filepath.Join(dir, name)); err != nil {
			return nil, fmt.Errorf("history: counting the records of %s: %w", name, err)
		}
	}
	return counts, nil
}

func countLines(path string) (n int64, err error) {
	in, err := openLines(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	for lines := bufio.NewReaderSize(in, 256<<10); ; {
		_, err := lines.ReadSlice('\n')
		switch {
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, err
		}
	}
}

// checkRecords holds what was read against what the manifest says there was.
func (r *Run) checkRecords(read map[string]int64) error {
	for name, want := range r.Manifest.Records {
		got, ok := read[name]
		if ok && got != want {
			return fmt.Errorf("%w: %s holds %d, the manifest says %d", ErrMissing, name, got, want)
		}
		if !ok && name != SamplesFile {
			return fmt.Errorf("%w: %s is gone, the manifest says that it held %d", ErrMissing, name, want)
		}
	}
	return nil
}
