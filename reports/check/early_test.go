package check_test

import (
	"testing"

	"mcpstorm/history"
)

// A turn that is handed over before it is committed is wrong, though the transcript
// comes out right in the end (FM-05).
func TestHandedOverEarly(t *testing.T) {
	const turns = "seq:0 ok n1, seq:2 ok n2"
	for name, c := range map[string]struct {
		log    string
		status history.Status
	}{
		"committed and then handed over": {
			"begin seq:0 -, commit seq:0 n1, answer seq:0 n1, answer seq:0 n1, begin seq:2 -, commit seq:2 n2, answer seq:2 n2", history.Pass,
		},
		"a repeat got it first": {
			"begin seq:0 -, answer seq:0 n1, commit seq:0 n1, answer seq:0 n1, begin seq:2 -, commit seq:2 n2, answer seq:2 n2", history.Fail,
		},
		"another turn's commit does not count": {
			"begin seq:0 -, commit seq:0 n1, answer seq:0 n1, begin seq:2 -, answer seq:2 n2, commit seq:2 n2", history.Fail,
		},
	} {
		t.Run(name, func(t *testing.T) {
			reason := ""
			if c.status == history.Fail {
				reason = "handed over before it was committed"
			}
			wantStatus(t, judge(t, script{turns: turns, log: c.log}.run(t), "exactly-once-turns"), c.status, reason)
		})
	}
}
