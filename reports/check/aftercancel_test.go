package check_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpstorm/history"
)

// In the stateless era no message may come from a server once it has been told that the
// client is gone, but for what it sent before it could notice. In the older one a
// disconnect is no cancel.
func TestSentAfterACancel(t *testing.T) {
	fin := func(l history.Left) *history.Left {
		l.At, l.Manner = second, "fin"
		return &l
	}
	const ms = int64(1e6)
	late := fin(history.Left{Gone: true, Bytes: 400, Last: 1000 * ms, Message: 1000 * ms, Watched: 3000 * ms})
	for _, c := range []struct {
		name, era string
		left      *history.Left
		change    func(*history.Wire)
		status    history.Status
		unknown   bool   // it cannot be told
		rate      string // of the calls that are known: "COUNT/OF", or empty
	}{
		{"sent on", stateless, late, nil, history.Fail, false, "1/1"},
		{"sent on, and then ended", stateless, fin(history.Left{Gone: true, Bytes: 400, Last: 1400 * ms, Message: 1400 * ms, Watched: 1400 * ms, Ended: true}), nil, history.Fail, false, "1/1"},
		{"sent in time, and ended", stateless, fin(history.Left{Gone: true, Bytes: 400, Last: 999 * ms, Message: 999 * ms, Watched: 999 * ms, Ended: true}), nil, history.Pass, false, "0/1"},
		{"an empty answer, ended late", stateless, fin(history.Left{Gone: true, Bytes: 146, Last: 1800 * ms, Watched: 1800 * ms, Ended: true}), nil, history.Pass, false, "0/1"},
		{"silent while it was heard", stateless, fin(history.Left{Gone: true, Watched: 2000 * ms}), nil, history.Pass, false, "0/1"},
		{"ended at once", stateless, fin(history.Left{Ended: true}), nil, history.Pass, false, "0/1"},
		{"never left", stateless, nil, nil, history.Pass, false, ""},
		{"not heard for long enough", stateless, fin(history.Left{Gone: true, Watched: 1999 * ms}), nil, history.Pass, true, ""},
		{"reset", stateless, &history.Left{At: second, Manner: "rst"}, nil, history.Pass, true, ""},
		{"its client may have waited", stateless, fin(history.Left{Bytes: 400, Last: 1400 * ms, Message: 1400 * ms, Ended: true}), nil, history.Pass, true, ""},
		{"an era in which it is no cancel", sessions, late, nil, history.Pass, false, ""},
		{"not wholly handed over", stateless, late, func(w *history.Wire) { w.Handed = false }, history.Pass, false, ""},
		{"a settle under its key", stateless, late, func(w *history.Wire) { w.Role, w.Tool = history.RoleSettle, "settle" }, history.Pass, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := inEra(runOf(t, "", wanted{told: history.ToldUnknown, did: "call unknown eof"}), c.era)
			w := history.Wire{
				Arm: "main", Server: "tools", Rollout: rollout1, Key: s02Key, Tool: "append", Role: history.RoleCall,
				Method: "POST", Handed: true, Result: history.ResultNone, Left: c.left,
			}
			if c.change != nil {
				c.change(&w)
			}
			run.Wire = append(run.Wire, w)
			v := evaluate(run)
			inv := find(t, v, "truthful-outcome")
			reason := ""
			if c.status == history.Fail {
				reason = "1 × sent on after a cancel"
			}
			wantStatus(t, inv, c.status, reason)
			if c.status == history.Fail && !strings.Contains(strings.Join(inv.Proof.Events, "\n"), "400 bytes came from tools after the fin") {
				t.Errorf("the proof is %q", inv.Proof.Events)
			}
			unknown := false
			for _, clause := range inv.Clauses {
				unknown = unknown || clause.Status == history.NotEvaluated && strings.Contains(clause.Text, "sent after its cancel is not known")
			}
			if unknown != c.unknown {
				t.Errorf("not known: %t, want %t; clauses %+v", unknown, c.unknown, inv.Clauses)
			}
			got := ""
			for _, r := range v.Rates {
				if r.Name == "sent-after-cancel" {
					got = fmt.Sprintf("%d/%d", r.Rate.Count, r.Rate.Of)
				}
			}
			if got != c.rate {
				t.Errorf("rate %q, want %q", got, c.rate)
			}
		})
	}
}
