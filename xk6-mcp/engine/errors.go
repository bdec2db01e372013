package engine

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of error. Every error of this package wraps one of them, except
// those of a caller's own module, which pass through unchanged. An error that
// comes from the script also carries an *Exception.
var (
	// ErrConfig is a script, option, import or override that cannot be run.
	ErrConfig = errors.New("engine: cannot run")
	// ErrScript is a script that threw while loading, or in setup or teardown.
	ErrScript = errors.New("engine: script failed")
	// ErrSetupTimeout is a setup function that outlasted setupTimeout.
	ErrSetupTimeout = errors.New("engine: setup timed out")
	// ErrTeardownTimeout is a teardown function that outlasted teardownTimeout.
	ErrTeardownTimeout = errors.New("engine: teardown timed out")
	// ErrStopped is a run that was stopped from outside before its natural end.
	ErrStopped = errors.New("engine: stopped from outside")
	// ErrAborted is a script that called exec.test.abort.
	ErrAborted = errors.New("engine: aborted by the script")
	// ErrFailed is a script that called exec.test.fail.
	ErrFailed = errors.New("engine: failed by the script")
	// ErrInterrupted is an iteration that was cut short.
	ErrInterrupted = errors.New("engine: iteration interrupted")
	// ErrInit is a call that init code must not make.
	ErrInit = errors.New("engine: not allowed in init code")
	// ErrNeverSettled is a promise that nothing is left to settle.
	ErrNeverSettled = errors.New("engine: promise never settled")
	// ErrPanic is a Go panic in native code that a script called.
	ErrPanic = errors.New("engine: native code panicked")
)

// exitCodes lists the exit code of each kind of error. Where an error is of
// several kinds, the first in this order counts. The numbers are k6's.
var exitCodes = []struct {
	kind error
	code int
}{
	{ErrConfig, 104},
	{ErrStopped, 105},
	{ErrScript, 107},
	{ErrSetupTimeout, 100},
	{ErrTeardownTimeout, 101},
	{ErrAborted, 108},
	{ErrFailed, 110},
}

// ExitCode returns the exit code of the command that ended with err: 0 for
// nil, k6's own code for the kinds of this package, and 2 for any other error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	for _, e := range exitCodes {
		if errors.Is(err, e.kind) {
			return e.code
		}
	}
	return 2
}

// configError wraps ErrConfig.
func configError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrConfig, fmt.Errorf(format, args...))
}

// notSupported is the refusal of something that k6 may know and this package
// does not. The thing is named with its kind and place.
func notSupported(thing string, known []string, advice ...string) error {
	return configError("not supported yet: %s; known: %s%s", thing, strings.Join(known, ", "), strings.Join(advice, ""))
}

// unknown is notSupported for a name that the script wrote, with the name that
// was probably meant.
func unknown(kind, name, where string, known []string) error {
	return notSupported(fmt.Sprintf("%s %q%s", kind, name, where), known, suggestion(name, known))
}
