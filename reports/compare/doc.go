// Package compare says whether runs differ by more than chance. It measures a stored
// run once, into a form small enough to keep as a baseline, and compares such
// measurements: rates with intervals on their difference, latency quantiles with
// intervals on their ratio, and budgets that must not be exceeded.
//
// The unit is the rollout: operations of one rollout share its fate, and are never
// taken for independent. All tests of one comparison are one family (Holm), so that
// two runs of the same thing differ by chance in at most one comparison of twenty,
// however many rates are looked at.
//
// Names in a run came from elsewhere: what this package writes shows them without
// control characters. All functions may be called from any goroutine as long as
// nobody changes what they were given.
package compare

import "errors"

// The errors of this package.
var (
	// ErrSchema says that a measurement was written in a form that this version does
	// not know.
	ErrSchema = errors.New("compare: unknown schema version")
	// ErrRule says that a budget rule cannot be read, or names what no run has.
	ErrRule = errors.New("compare: bad rule")
	// ErrUnknown says that no measurement has what a name means.
	ErrUnknown = errors.New("compare: unknown name")
	// ErrGround says that a difference which is to be put aside has no such name.
	ErrGround = errors.New("compare: unknown ground")
)

// Schema is the version of Measured and of Report as JSON.
const Schema = 1
