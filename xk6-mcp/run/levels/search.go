// Package levels searches for the last level of concurrency that holds, whatever a
// level is asked for: the limit of a target, or that of this host.
package levels

// Search looks for the last level that holds: it doubles from the first to the last,
// and then halves the distance between the last that held and the first that broke
// until it is within a share of the former. A first level that breaks is searched
// below. It returns the level, zero for none, and the first error of held, which it calls
// on the caller's goroutine and once a level at most. from must be at least 1, and to no
// less than that.
func Search(from, to int, within float64, held func(int) (bool, error)) (carried int, err error) {
	broke := 0
	for n := from; broke == 0 && carried < to; n = min(2*n, to) {
		ok, err := held(n)
		switch {
		case err != nil:
			return carried, err
		case ok:
			carried = n
		default:
			broke = n
		}
	}
	for broke > 0 && float64(broke-carried) > max(1, within*float64(carried)) {
		middle := (carried + broke) / 2
		ok, err := held(middle)
		switch {
		case err != nil:
			return carried, err
		case ok:
			carried = middle
		default:
			broke = middle
		}
	}
	return carried, nil
}
