package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

const (
	sessions  = "2025-11-25"
	stateless = "2026-07-28"
)

// inEra gives every exchange an era, as the client records it.
func inEra(run *history.Run, era string) *history.Run {
	for i := range run.Attempts {
		run.Attempts[i].Era = era
	}
	for i := range run.Manifest.Arms[0].Servers {
		run.Manifest.Arms[0].Servers[i].Era = era
	}
	return run
}

// A call that was lost with its stream is a replay when it is sent again, in either
// era; where the run's setting asks for it in the stateless one, it is counted apart.
func TestReissue(t *testing.T) {
	const twice = s02Key + "," + s02Key
	for _, c := range []struct {
		name, era, setting, commits, did string
		status                           history.Status
		reason                           string
		again, twice                     int
		cell                             string
	}{
		{"a replay in the older era", sessions, "", s02Key, "call unknown eof, call ok", history.Fail, "sent again while unknown", 0, 0, "ok 1-1 good ×1"},
		{"the older era has no such setting", sessions, "spec", s02Key, "call unknown eof, call ok", history.Fail, "sent again while unknown", 0, 0, "ok 1-1 good ×1"},
		{"a replay in the stateless era", stateless, "", s02Key, "call unknown eof, call ok", history.Fail, "sent again while unknown", 0, 0, "ok 1-1 good ×1"},
		{"counted apart", stateless, "spec", s02Key, "call unknown eof, call ok", history.Pass, "", 1, 0, "ok 1-1 good ×1"},
		{"executed twice, counted apart", stateless, "spec", twice, "call unknown reset, call ok", history.Pass, "", 1, 1, "ok 2-2 re-issued as the changelog asks ×1"},
		{"twice sent again", stateless, "spec", twice, "call unknown eof, call unknown truncated, call ok", history.Pass, "", 1, 1, "ok 2-2 re-issued as the changelog asks ×1"},
		{"executed more often than that explains", stateless, "spec", twice + "," + s02Key, "call unknown eof, call ok", history.Fail, "executed twice or more", 1, 1, "ok 2-2 replay ×1"},
		{"no stream broke", stateless, "spec", s02Key, "call unknown deadline, call ok", history.Fail, "sent again while unknown", 0, 0, "ok 1-1 good ×1"},
		{"a broken one, and then a late one", stateless, "spec", s02Key, "call unknown eof, call unknown deadline, call ok", history.Fail, "sent again while unknown", 1, 0, "ok 1-1 good ×1"},
		{"voided and sent again", stateless, "spec", s02Key, "call unknown eof, settle ok, call ok", history.Pass, "", 0, 0, "ok 1-1 good ×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := inEra(runOf(t, c.commits, wanted{class: unsafe, told: history.ToldOK, settled: "voided", did: c.did}), c.era)
			run.Manifest.Reissue = c.setting
			v := evaluate(run)
			wantStatus(t, find(t, v, "no-unsafe-replay"), c.status, c.reason)
			if diff := cmp.Diff([]string{c.cell}, cellsOf(v, "main")); diff != "" {
				t.Error(diff)
			}
			if c.setting == "" {
				for _, rate := range v.Rates {
					if rate.Name == "reissued" {
						t.Error("there is a rate of re-issues")
					}
				}
				return
			}
			if again, twice := findRate(t, run, "reissued").Rate.Count, findRate(t, run, "reissued-twice").Rate.Count; again != c.again || twice != c.twice {
				t.Errorf("%d sent again, %d executed twice; want %d and %d", again, twice, c.again, c.twice)
			}
		})
	}
}

// What certainly means that nothing was executed depends on the era of the exchange:
// after it, a call may be sent again.
func TestDefiniteRefusalsOfEras(t *testing.T) {
	for _, c := range []struct {
		name   string
		cause  history.Cause
		told   history.Told
		within [2]bool // sessions, stateless
	}{
		{"a 404 to a session id", history.Cause{Class: "http_status", Status: 404}, history.ToldNotExecuted, [2]bool{true, false}},
		{"a 404 without one", history.Cause{Class: "http_status", Status: 404}, history.ToldUnknown, [2]bool{false, false}},
		{"a 404 that names an unknown method", history.Cause{Class: "http_status", Status: 404, Code: -32601}, history.ToldUnknown, [2]bool{true, true}},
		{"an unknown method", history.Cause{Class: "rpc_error", Code: -32601}, history.ToldUnknown, [2]bool{true, true}},
		{"a header that does not match", history.Cause{Class: "rpc_error", Code: -32020}, history.ToldUnknown, [2]bool{false, true}},
		{"a capability that is missing", history.Cause{Class: "rpc_error", Code: -32021}, history.ToldUnknown, [2]bool{false, true}},
		{"a version that is not spoken", history.Cause{Class: "rpc_error", Code: -32022}, history.ToldUnknown, [2]bool{false, true}},
		{"an invalid argument", history.Cause{Class: "rpc_error", Code: -32602}, history.ToldUnknown, [2]bool{false, false}},
		{"misdirected", history.Cause{Class: "http_status", Status: 421}, history.ToldUnknown, [2]bool{true, true}},
		{"too many requests", history.Cause{Class: "http_status", Status: 429}, history.ToldUnknown, [2]bool{false, false}},
	} {
		for i, era := range []string{sessions, stateless} {
			t.Run(c.name+" "+era, func(t *testing.T) {
				run := inEra(runOf(t, s02Key, wanted{class: unsafe, told: history.ToldOK, did: "call unknown, call ok"}), era)
				run.Attempts[0].Told, run.Attempts[0].Cause = c.told, &c.cause
				want := history.Fail
				if c.within[i] || c.told == history.ToldNotExecuted {
					want = history.Pass
				}
				wantStatus(t, judge(t, run, "no-unsafe-replay"), want, "")
			})
		}
	}
}
