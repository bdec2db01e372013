// Package chart draws the figures of a stored run: the timeline of its errors and
// latencies, what became of the operations that a fault struck, which faults did harm
// and where, the latencies before, during and after the faults, the recovery from
// them, and the comparison of retry policies. It reads the history and its verdict
// alone. One input gives the same bytes each time, as PNG and as SVG, and no number
// in a figure comes from anywhere else. A figure that a run has no data for is not
// drawn: the error says what is missing, and IsEmpty knows it.
//
// All functions may be called from any goroutine as long as nobody changes the
// run meanwhile.
package chart

import (
	"errors"

	"mcpstorm/history"
)

// The errors of this package.
var (
	// ErrNoArm says that the run has no arm of the name asked for, or none that
	// is judged.
	ErrNoArm = errors.New("chart: no such arm")
	// ErrNoAttempts says that an arm holds no attempt, so there is no timeline.
	ErrNoAttempts = errors.New("chart: no attempts in the arm")
	// ErrNoData says that an arm holds nothing that the figure is about, and what is
	// missing. Such a figure is not drawn.
	ErrNoData = errors.New("chart: nothing to draw")
	// ErrNoRows says that there is no policy to compare.
	ErrNoRows = errors.New("chart: no policies to compare")
)

// Options are the optional settings of a figure. The zero value suits every one.
type Options struct {
	// Arm is the arm that a figure of one arm shows; empty means the first judged arm.
	Arm string
	// Arms is what the verdict says of each arm. Timeline takes from its arm's row
	// how many operations were executed twice or more, so that a title and the
	// verdict never differ; without that row it says nothing of replays.
	Arms []history.ArmRow
	// Recovery is what the verdict says of the servers' recovery, for Recovery.
	Recovery []history.Recovery
	// Objective is the rate of failed attempts that Recovery waits for, in (0, 1);
	// zero means DefaultObjective.
	Objective float64
	// Replayed is what Policies counts as executed twice or more, as a plural
	// such as "appends"; empty means "operations".
	Replayed string
	// Provenance is the footer of Policies: where its numbers come from. A
	// timeline takes its own from the manifest.
	Provenance string
}

// IsEmpty reports whether an error of this package says that a run holds nothing to
// show in a figure, and not that a figure could not be written.
func IsEmpty(err error) bool {
	return errors.Is(err, ErrNoData) || errors.Is(err, ErrNoAttempts)
}
