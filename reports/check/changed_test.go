package check_test

import (
	"testing"

	"mcpstorm/history"
)

// A tool that says that a repeat changes nothing is held to it (FM-24).
func TestChangedAgain(t *testing.T) {
	const twice = s02Key + "," + s02Key
	for name, c := range map[string]struct {
		states    []string // after each commit
		sequences []int64
		class     history.ReplayClass
		status    history.Status
	}{
		"the same state":               {[]string{"a", "a"}, []int64{1, 2}, history.Idempotent, history.Pass},
		"another state":                {[]string{"a", "b"}, []int64{1, 2}, history.Idempotent, history.Fail},
		"something came between":       {[]string{"a", "b"}, []int64{1, 3}, history.Idempotent, history.NotEvaluated},
		"no state on record":           {[]string{"", ""}, []int64{1, 2}, history.Idempotent, history.NotEvaluated},
		"a tool that promises nothing": {[]string{"a", "a"}, []int64{1, 2}, unsafe, history.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			run := runOf(t, twice, wanted{class: c.class, told: history.ToldOK, did: "call unknown C4, call ok"})
			n := 0
			for i := range run.Effects {
				if e := &run.Effects[i]; e.Kind == history.EffectCommit {
					e.State, e.Sequence = c.states[n], c.sequences[n]
					n++
				}
			}
			wantStatus(t, judge(t, run, "no-unsafe-replay"), c.status, "")
		})
	}
}
