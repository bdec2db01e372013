package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

const (
	bufferSize = 256 << 10
	// flushEvery is how often a plain file is brought up to date, for whoever
	// follows it while the run goes on.
	flushEvery = time.Second
)

// file is a file of lines, compressed where its name ends in .gz. The first
// failed write is kept, and everything after it dropped.
type file struct {
	path    string
	out     *os.File
	packer  *gzip.Writer // nil for a plain file
	buf     *bufio.Writer
	line    []byte // reused from line to line
	flushed time.Time
	err     error
}

func createFile(path string) (*file, error) {
	out, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOpen, err)
	}
	f := &file{path: path, out: out}
	var sink io.Writer = out
	if strings.HasSuffix(path, ".gz") {
		f.packer = gzip.NewWriter(out)
		sink = f.packer
	}
	f.buf = bufio.NewWriterSize(sink, bufferSize)
	return f, nil
}

// Where implements Output.
func (f *file) Where() string { return "samples to " + f.path }

// write adds whole lines that were known at the given time.
func (f *file) write(lines []byte, at time.Time) {
	if f.err != nil {
		return
	}
	_, f.err = f.buf.Write(lines)
	if f.packer == nil && at.Sub(f.flushed) >= flushEvery {
		f.flushed = at
		f.err = errors.Join(f.err, f.buf.Flush())
	}
}

// Close implements Output.
func (f *file) Close() error {
	if f.err == nil {
		f.err = f.buf.Flush()
	}
	if f.packer != nil && f.err == nil {
		f.err = f.packer.Close()
	}
	if closing := f.out.Close(); f.err == nil {
		f.err = closing
	}
	if f.err != nil {
		return fmt.Errorf("%w: %w", ErrWrite, f.err)
	}
	return nil
}
