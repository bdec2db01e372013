package check_test

import (
	"testing"

	"mcpstorm/history"
)

// Asking again where the answer had come, or where its caller wants it no more, has no
// reason (FM-08, FM-15, FM-18).
func TestAsksAgain(t *testing.T) {
	const needless, late = "called again after its answer", "sent after its caller had cancelled it"
	for name, c := range map[string]struct {
		did       string
		cancelled history.Instant
		reason    string
	}{
		"a retry of a broken connection":          {"call unknown reset, call ok", 0, ""},
		"the result had come":                     {"call ok, call ok", 0, needless},
		"the tool had failed":                     {"call tool_error, call ok", 0, needless},
		"refused for good":                        {"call not_executed 400, call ok", 0, needless},
		"refused for now":                         {"call unknown 503, call ok", 0, ""},
		"an answered error":                       {"call unknown rpc_error, call ok", 0, needless},
		"its session was forgotten":               {"call not_executed 404, call ok", 0, ""},
		"refused, voided and sent under a new id": {"call unknown 400, settle ok, call ok", 0, ""},
		"refused, and settled after":              {"call unknown 400, settle ok", 0, ""},
		"cancelled, and no more":                  {"call unknown cancelled", 2, ""},
		"cancelled, and sent again":               {"call unknown cancelled, call ok", 1, late},
		"cancelled after its last call":           {"call unknown reset, call unknown cancelled", 9, ""},
		"opened a session for it":                 {"call unknown cancelled, initialize ok", 1, late},
		"tried to, and nothing left":              {"call unknown cancelled, call not_executed -", 1, ""},
		"closed its session":                      {"call unknown cancelled, delete ok", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			run := runOf(t, "", wanted{class: history.Keyed, told: history.ToldOK, settled: "voided", did: c.did})
			run.Ops[0].Cancelled = c.cancelled
			status := history.Pass
			if c.reason != "" {
				status = history.Fail
			}
			wantStatus(t, judge(t, run, "bounded-retry"), status, c.reason)
		})
	}
}

// A call that its own caller cancelled is nobody's harm, and no spurious failure.
func TestCancelledIsTheCallersOwn(t *testing.T) {
	run := runOf(t, "", wanted{class: unsafe, told: history.ToldUnknown, did: "call unknown cancelled"})
	run.Ops[0].Cancelled = 2
	failedOn(run, &run.Ops[0])
	wantStatus(t, judge(t, run, "no-spurious-failure"), history.Pass, "")
	if got := judge(t, run, "blast-radius"); got.Violated > 0 {
		t.Errorf("blast-radius: %s", got.Reason)
	}
	run.Ops[0].Cancelled = 0
	wantStatus(t, judge(t, run, "no-spurious-failure"), history.Fail, "")
	wantStatus(t, judge(t, run, "blast-radius"), history.Fail, "")
}
