// Package chart draws the figures of a stored run: the timeline of its errors
// and latencies, and the comparison of retry policies. It reads the history and
// its verdict alone. One input gives the same bytes each time, as PNG and as SVG,
// and no number in a figure comes from anywhere else.
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
	// ErrNoRows says that there is no policy to compare.
	ErrNoRows = errors.New("chart: no policies to compare")
)

// Options are the optional settings of a figure. The zero value suits every one.
type Options struct {
	// Arm is the arm that Timeline shows; empty means the first judged arm.
	Arm string
	// Arms is what the verdict says of each arm. Timeline takes from its arm's row
	// how many operations were executed twice or more, so that a title and the
	// verdict never differ; without that row it says nothing of replays.
	Arms []history.ArmRow
	// Replayed is what Policies counts as executed twice or more, as a plural
	// such as "appends"; empty means "operations".
	Replayed string
	// Provenance is the footer of Policies: where its numbers come from. A
	// timeline takes its own from the manifest.
	Provenance string
}
