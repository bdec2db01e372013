package reports

import "mcpstorm/history"

// The exit codes of a verdict. Codes of the engine, such as 99 for a threshold,
// are not a verdict's.
const (
	ExitPass         = 0
	ExitFail         = 1 // an invariant is violated
	ExitInconclusive = 2 // the run says nothing, or could not run
)

// ExitCode is the exit code that a verdict alone gives. A status that is neither
// pass nor fail is inconclusive.
func ExitCode(status history.Status) int {
	switch status {
	case history.Pass:
		return ExitPass
	case history.Fail:
		return ExitFail
	}
	return ExitInconclusive
}
