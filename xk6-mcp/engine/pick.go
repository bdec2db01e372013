package engine

import "slices"

// Pick is the scenario cut down to some of its iterations, by their numbers in the
// test. They keep their numbers, and with them all that is drawn for them; they
// start together, as far as there are VUs, and not at the times that the executor
// would have given them.
func (s Scenario) Pick(iterations []int64) Scenario {
	s.MaxDuration = s.length()
	s.Executor, s.Picked = SharedIterations, slices.Clone(iterations)
	s.Iterations, s.VUs = int64(len(iterations)), max(1, min(len(iterations), max(s.VUs, s.MaxVUs)))
	s.MaxVUs, s.StartVUs, s.Stages, s.Duration, s.Rate, s.StartRate = 0, 0, nil, 0, 0, 0
	return s
}

// picked turns the count of a schedule into the numbers of picked iterations.
func picked(s Scenario, next schedule) schedule {
	if s.Picked == nil {
		return next
	}
	return func(vu int, nth int64) (int64, bool) {
		n, ok := next(vu, nth)
		if !ok {
			return n, false
		}
		return s.Picked[n], true
	}
}
