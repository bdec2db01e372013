package run

import (
	"fmt"
	"slices"

	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/engine"
)

// The exit codes: mcpstorm's own three, and k6's for the rest.
const (
	ExitPass            = 0
	ExitViolated        = 1
	ExitInconclusive    = 2 // or the run could not be made at all
	ExitThresholds      = 99
	ExitSetupTimeout    = 100
	ExitTeardownTimeout = 101
	ExitOptions         = 104
	ExitStopped         = 105 // from outside, by a signal
	ExitScript          = 107 // the script threw while loading or in setup
	ExitAbort           = 108
	ExitFail            = 110
)

// precedence is the order in which exit codes hold where several do.
var precedence = []int{
	ExitOptions, ExitViolated, ExitStopped, ExitScript, ExitSetupTimeout, ExitTeardownTimeout,
	ExitAbort, ExitFail, ExitThresholds, ExitInconclusive,
}

// pickExit is the one code for everything that holds.
func pickExit(codes ...int) int {
	for _, first := range precedence {
		for _, code := range codes {
			if code == first {
				return code
			}
		}
	}
	return ExitPass
}

// besides say what each exit code that is not a verdict's stands for.
var besides = map[int]string{
	ExitThresholds:      "a threshold failed",
	ExitSetupTimeout:    "setup timed out",
	ExitTeardownTimeout: "teardown timed out",
	ExitStopped:         "the run was stopped from outside",
	ExitScript:          "the script failed outside its iterations",
	ExitAbort:           "the script aborted the run",
	ExitFail:            "the script called its test failed",
}

// Beside says what set the exit code where the verdict alone did not, with the code:
// "a threshold failed (exit 99)". Otherwise it is empty.
func (o *Outcome) Beside() string {
	verdict := ExitPass
	if !o.Plain {
		verdict = reports.ExitCode(o.Verdict.Status)
	}
	if o.Exit == verdict {
		return ""
	}
	what, ok := besides[o.Exit]
	switch {
	case ok:
	case slices.ContainsFunc(o.Thresholds, func(t engine.ThresholdResult) bool { return t.NoData }):
		what = "a threshold has no data"
	default:
		what = "the run could not be recorded whole"
	}
	return fmt.Sprintf("%s (exit %d)", what, o.Exit)
}

// Error is a run that could not be made, with the exit code that says so.
type Error struct {
	Code int
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }
