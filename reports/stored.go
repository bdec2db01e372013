package reports

import (
	"cmp"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// stored is what a report is made of: what is shown of a run, what was judged of it and
// what was measured, with texts that are safe, beside the run as it was recorded, to be
// counted.
type stored struct {
	raw     *history.Run
	run     *history.Run
	verdict history.Verdict
	asMade  history.Verdict // with its texts as they are
	metrics history.Metrics
}

func prepare(run *history.Run, v history.Verdict, metrics *history.Metrics) *stored {
	s := &stored{raw: run, run: shown(run), verdict: safe.All(v), asMade: v}
	s.verdict.Run = cmp.Or(s.verdict.Run, s.run.Manifest.ID)
	if metrics != nil {
		s.metrics = safe.All(*metrics)
	}
	return s
}

// shown is what a summary reads of a run, made safe.
func shown(run *history.Run) *history.Run {
	return &history.Run{Dir: safe.Text(run.Dir), Unsealed: run.Unsealed, Manifest: safe.All(run.Manifest), Plan: safe.All(run.Plan)}
}

// judged are the arms that set the verdict.
func (s *stored) judged() []history.Arm { return judged(s.run.Manifest.Arms) }

// thresholds are those that set the exit code: of every judged arm, with its name.
func (s *stored) thresholds() (list []armThreshold) {
	set := map[string]bool{}
	for _, arm := range s.judged() {
		set[arm.Name] = true
	}
	for _, arm := range s.metrics.Arms {
		for _, t := range arm.Thresholds {
			if set[arm.Arm] {
				list = append(list, armThreshold{arm.Arm, t})
			}
		}
	}
	return list
}

type armThreshold struct {
	arm string
	history.Threshold
}
