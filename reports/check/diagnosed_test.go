package check_test

import (
	"testing"

	"mcpstorm/history"
)

// What a client writes down of a failure is held to what is on record (FM-22).
func TestDiagnostics(t *testing.T) {
	status := func(n int) *int { return &n }
	const begun = history.ResponseUnknown
	for name, c := range map[string]struct {
		said    *history.Diagnostics
		did     string
		commits string
		reason  string
	}{
		"nothing":                        {nil, "call unknown 500", "", ""},
		"the status that came":           {&history.Diagnostics{Delivery: begun, StatusCode: status(500)}, "call unknown 500", "", ""},
		"no status":                      {&history.Diagnostics{Delivery: begun}, "call unknown 500", "", "diagnosed without its status"},
		"another status":                 {&history.Diagnostics{Delivery: begun, StatusCode: status(429)}, "call unknown 500", "", "diagnosed with another status"},
		"no status, and none came":       {&history.Diagnostics{Delivery: begun}, "call unknown reset", "", ""},
		"of the last exchange":           {&history.Diagnostics{Delivery: begun}, "call unknown 503, call unknown reset", "", ""},
		"not started, and it was not":    {&history.Diagnostics{Delivery: history.NotStarted}, "call not_executed - dial", "", ""},
		"not started, and carried out":   {&history.Diagnostics{Delivery: history.NotStarted}, "call unknown reset", s02Key, "diagnosed as not started, and started"},
		"begun, and perhaps carried out": {&history.Diagnostics{Delivery: begun}, "call unknown reset", s02Key, ""},
	} {
		t.Run(name, func(t *testing.T) {
			run := runOf(t, c.commits, wanted{class: unsafe, told: history.ToldUnknown, did: c.did})
			run.Ops[0].Diagnostics = c.said
			want := history.Pass
			if c.reason != "" {
				want = history.Fail
			}
			wantStatus(t, judge(t, run, "truthful-outcome"), want, c.reason)
		})
	}
}

// The witness alone is enough to give a wrong marker the lie.
func TestDiagnosedNotStartedButSeen(t *testing.T) {
	run := runOf(t, "", wanted{class: unsafe, told: history.ToldUnknown, did: "call unknown reset"})
	run.Ops[0].Diagnostics = &history.Diagnostics{Delivery: history.NotStarted}
	run.Wire = append(run.Wire, history.Wire{
		Arm: "main", Server: "tools", Rollout: run.Ops[0].Rollout, Key: run.Ops[0].Key, Tool: "append",
		Role: history.RoleCall, Method: "POST", RPC: "tools/call", Handed: true,
	})
	wantStatus(t, judge(t, run, "truthful-outcome"), history.Fail, "diagnosed as not started, and started")
}
