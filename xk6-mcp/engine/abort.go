package engine

import (
	"fmt"
	"slices"
)

// thresholdAbort is the cause of a run that a threshold ended.
type thresholdAbort struct{ selector, expr string }

func (e *thresholdAbort) Error() string { return fmt.Sprintf("threshold %q: %s", e.selector, e.expr) }

// abortOnThreshold ends the run when a threshold has failed that asks for it.
// A threshold without a sample has not failed.
func (r *run) abortOnThreshold() {
	elapsed := r.program.clock.Since(r.started)
	ready := func(t Threshold) bool { return t.AbortOnFail && elapsed >= t.DelayAbortEval }
	if !slices.ContainsFunc(r.thresholds, ready) || r.soft.Err() != nil {
		return
	}
	var results []ThresholdResult
	r.samples.ask(func() { results = r.samples.judge(r.thresholds, r.program.metrics, elapsed) })
	for i, t := range r.thresholds {
		if ready(t) && !results[i].OK {
			r.stop(&thresholdAbort{t.Selector, t.Expr})
			return
		}
	}
}
