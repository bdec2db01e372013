// Package capacity searches for the most rollouts at once that a target carries under
// a fault plan that does not change: concurrency is doubled until an objective breaks,
// and the distance is then halved. Every level is a run of its own, on fresh servers,
// with the same script, seed and faults. It keeps what it has measured after each
// level, so that a search which was stopped goes on where it was.
package capacity

import "errors"

// The errors of this package.
var (
	// ErrObjective says that an objective cannot be read, or is of what is not
	// measured.
	ErrObjective = errors.New("capacity: bad objective")
	// ErrSettings says that a search cannot be made as it was asked for.
	ErrSettings = errors.New("capacity: bad settings")
	// ErrAnother says that a folder holds another search.
	ErrAnother = errors.New("capacity: the folder holds another search")
	// ErrScript says that a script is none whose concurrency can be searched.
	ErrScript = errors.New("capacity: unsuitable script")
)
