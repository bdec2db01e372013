package capacity

// search looks for the last level that holds: it doubles from the first to the last,
// and then halves the distance between the last that held and the first that broke
// until it is within a share of the former. A first level that breaks is searched
// below. It returns the level, zero for none, and the first error of held.
func search(from, to int, within float64, held func(int) (bool, error)) (carried int, err error) {
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

// enough is the growth of throughput, as a share of that of the concurrency, below
// which more rollouts at once bring little.
const enough = 0.5

// knee is the level after which what is done in a second grows less than half as fast
// as the concurrency; zero where that was not seen. levels are by concurrency.
func knee(levels []Level) int {
	for i := 1; i < len(levels); i++ {
		before, after := levels[i-1], levels[i]
		more := float64(after.Concurrency)/float64(before.Concurrency) - 1
		faster := after.Throughput/before.Throughput - 1
		if before.Throughput > 0 && more >= 0.2 && faster < enough*more {
			return before.Concurrency
		}
	}
	return 0
}
