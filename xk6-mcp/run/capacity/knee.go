package capacity

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
