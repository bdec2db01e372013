package history

import (
	"errors"
	"fmt"
)

// The errors of this package.
var (
	// ErrNoHistory says that a directory holds no run.
	ErrNoHistory = errors.New("history: not a run directory")
	// ErrSchema says that a history was written with record shapes that this
	// version does not know.
	ErrSchema = errors.New("history: unknown schema version")
	// ErrCorrupt says that a line is not what it should be.
	ErrCorrupt = errors.New("history: corrupt line")
	// ErrTorn says that the last line of a file has no end: its writer was
	// stopped in the middle of it. Everything before it is whole.
	ErrTorn = errors.New("history: torn last line")
	// ErrMissing says that a file does not hold what the manifest says it held when
	// the run ended.
	ErrMissing = errors.New("history: records are missing")
	// ErrChanged says that a file is not the one that the run wrote.
	ErrChanged = errors.New("history: not as the run wrote it")
	// ErrIrregular says that a pipe, a device or a directory stands where a file of a
	// history should be. It is not read, for it may never end.
	ErrIrregular = errors.New("history: not a regular file")
	// ErrExists says that a run directory already holds something.
	ErrExists = errors.New("history: run directory is not empty")
	// ErrClosed says that a record came after the writer was closed.
	ErrClosed = errors.New("history: writer is closed")
)

// LineError places an error at one line of one file. It wraps ErrCorrupt or
// ErrTorn.
type LineError struct {
	File string
	Line int // from 1
	Err  error
	Text string // what is wrong with it, when known
}

// Error implements error.
func (e *LineError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("%v: %s:%d", e.Err, e.File, e.Line)
	}
	return fmt.Sprintf("%v: %s:%d: %s", e.Err, e.File, e.Line, e.Text)
}

// Unwrap gives the kind of error.
func (e *LineError) Unwrap() error { return e.Err }
