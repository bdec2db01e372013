package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

// A tool whose name is misspelt where its class is declared is held to be unsafe, which a
// run may not pass in silence.
func TestDeclaredTools(t *testing.T) {
	// declares makes the simulator the user's own, on which these tools are called.
	declares := func(classes map[string]history.ReplayClass, called ...string) func(*history.Run) {
		return func(r *history.Run) {
			quiet(r)
			r.Effects = nil
			s := &r.Manifest.Arms[0].Servers[0]
			s.Reference, s.Effects, s.URL, s.Classes, s.About = "", false, "http://127.0.0.1:1/{rollout}", classes, []string{"settle"}
			for i := range r.Ops {
				r.Ops[i].Kind, r.Ops[i].Tool = history.KindTool, called[i%len(called)]
			}
		}
	}
	for _, c := range []struct {
		name     string
		change   func(*history.Run)
		mistaken string // of the clause that fails
		uncalled string
	}{
		{"all were called", declares(map[string]history.ReplayClass{"lookup": history.ReadOnly, "book": history.Keyed}, "lookup", "book"), "", ""},
		{
			"a misspelt one", declares(map[string]history.ReplayClass{"lokup": history.ReadOnly, "book": history.Keyed}, "lookup", "book"),
			"lookup was called on sim and has no class among its tools, so that it was held to be unsafe; lokup, which is declared read-only, was never called", "",
		},
		{
			"one more than were called", declares(map[string]history.ReplayClass{"lookup": history.ReadOnly, "cancel": history.Idempotent}, "lookup"),
			"", "cancel of sim is declared idempotent, and was never called",
		},
		{"one like another that is declared too", declares(map[string]history.ReplayClass{"page": history.ReadOnly, "pages": history.ReadOnly}, "page"), "", "pages of sim is declared read-only"},
		{"one that clients call by themselves", declares(map[string]history.ReplayClass{"settle": history.Idempotent, "book": history.Keyed}, "book"), "", ""},
		{"one that was called and is not declared", declares(map[string]history.ReplayClass{"book": history.Keyed}, "book", "cancel"), "", ""},
		{"no tool was called", func(r *history.Run) {
			declares(map[string]history.ReplayClass{"book": history.Keyed}, "")(r)
		}, "", ""},
		{"a reference server", func(r *history.Run) {
			declares(map[string]history.ReplayClass{"lokup": history.ReadOnly}, "lookup")(r)
			r.Manifest.Arms[0].Servers[0].Reference = "usersim"
		}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := coveredRun()
			c.change(run)
			inv := judge(t, run, "coverage")
			said := map[string]history.Clause{}
			for _, clause := range inv.Clauses {
				said[clause.Name] = clause
			}
			for name, want := range map[string]struct {
				text   string
				status history.Status
			}{"declared tools": {c.mistaken, history.Fail}, "tools never called": {c.uncalled, history.NotEvaluated}} {
				got, ok := said[name]
				if ok != (want.text != "") || ok && (got.Status != want.status || !strings.Contains(got.Text, want.text)) {
					t.Errorf("%s: %+v, want %q", name, got, want.text)
				}
			}
			if (c.mistaken != "") != (inv.Status == history.Fail) {
				t.Errorf("coverage is %q: %s", inv.Status, inv.Reason)
			}
		})
	}
}
