package run_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/usersim"
	"mcpstorm/xk6-mcp/run"
)

// The tests of this file attack the harness itself: in each, what was to be
// measured was not, and none may pass.

// ownScript drives a server of the user's own.
const ownScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 8, iterations: 1 } } };
export const storm = {
  servers: { sim: { url: 'HOST/r/{rollout}/mcp', tools: { respond: 'keyed' } } },
  policy: 'verifiers-0.2.0',
  faults: [{ on: 'sim', cut: 'C4', share: 0.3 }],
  ASSERT
};
export default function () {
  const user = mcp.rollout().connect('sim');
  for (const message of ['', 'one', 'two']) user.respond(message);
}`

// own runs a storm on a user simulator that the harness does not know, behind what
// the test puts before it.
func own(t *testing.T, assert string, before func(http.Handler) http.Handler) *run.Outcome {
	t.Helper()
	server, err := usersim.Kind().Open(refserver.Config{Name: "sim", Turns: 2})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(before(server))
	t.Cleanup(func() {
		listening.Close()
		if err := server.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return storm(t, strings.NewReplacer("HOST", listening.URL, "ASSERT", assert).Replace(ownScript), run.Options{Seed: 1})
}

// wantNoPass asks for a verdict that is no pass, for the true reason.
func wantNoPass(t *testing.T, o *run.Outcome, exit int, reason string) {
	t.Helper()
	if o.Exit != exit || o.Verdict.Status == history.Pass {
		t.Errorf("exit %d, verdict %s, want exit %d", o.Exit, o.Verdict.Status, exit)
	}
	if !regexp.MustCompile(reason).MatchString(o.Verdict.Reason) {
		t.Errorf("the reason is %q, want %q", o.Verdict.Reason, reason)
	}
}

// failing is what the clauses of coverage say that fail.
func failing(t *testing.T, o *run.Outcome) string {
	t.Helper()
	var said []string
	for _, clause := range invariant(t, o, "coverage").Clauses {
		if clause.Status == history.Fail {
			said = append(said, clause.Text)
		}
	}
	return strings.Join(said, "\n")
}

func TestAttackedBySettings(t *testing.T) {
	t.Parallel()
	throws := strings.Replace(turnsScript, "export default", "export function setup() { throw new Error('no database'); }\nexport default", 1)
	short := strings.NewReplacer(
		"vus: 16, iterations: 1", "vus: 2, iterations: 40, maxDuration: '1s', gracefulStop: '0s'", "turns: 3", "turns: 3, turnLatency: '30ms'",
	).Replace(turnsScript)
	wiki := `
import mcp from 'k6/x/mcp';
export const options = { vus: 8, iterations: 8 };
export const storm = { servers: { wiki: 'wiki' }, assert: ['no-unsafe-replay'] };
export default function () { mcp.rollout().connect('wiki').callTool({ name: 'search_pages', arguments: { query: 'river' } }); }`
	refused := strings.Replace(turnsScript, "['C1', 'C2', 'C3', 'C4', 'C5', 'C6'].map((cut) => ({ on: 'sim', cut, share: 0.06 }))",
		"[{ on: 'sim', cut: 'C1', at: 'initialize', attempts: 99 }]", 1)
	for _, tt := range []struct {
		name, script string
		options      run.Options
		exit         int
		reason       string
	}{
		{"the injector is idle", turnsScript, run.Options{BypassFaults: true}, run.ExitInconclusive, `no fault was delivered`},
		{"setup throws", throws, run.Options{}, run.ExitScript, `setup: .*no database`},
		{"no rollout gets past connect", refused, run.Options{Policies: []string{"verifiers-0.2.0"}}, run.ExitViolated, `no-spurious-failure`},
		{"half the rollouts never start", short, run.Options{}, run.ExitInconclusive, `planned = started: .*never`},
		{"nothing mutates", wiki, run.Options{}, run.ExitInconclusive, `no-unsafe-replay.*no operation whose repeat does harm`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Seed = 1
			wantNoPass(t, storm(t, tt.script, tt.options), tt.exit, tt.reason)
		})
	}
}

func TestAttackedByATargetThatIsNotThere(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	o := storm(t, strings.NewReplacer("HOST", gone.URL, "ASSERT", "").Replace(ownScript), run.Options{Seed: 1})
	wantNoPass(t, o, run.ExitInconclusive, `harness errors: .*unreachable: server sim`)
}

func TestAttackedByTheTarget(t *testing.T) {
	t.Parallel()
	untouched := func(next http.Handler) http.Handler { return next }
	// The control arm's 8 rollouts make 5 requests each, and so do the main arm's:
	// half way through it the server goes.
	var served atomic.Int64
	dies := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if served.Add(1) > 60 {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	}
	misdirects := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMisdirectedRequest) })
	}
	for _, tt := range []struct {
		name, assert string
		before       func(http.Handler) http.Handler
		exit         int
		reason       string
		clause       string // what a clause of coverage says that fails
	}{
		{"every request is misdirected", "", misdirects, run.ExitInconclusive, `the target fails without any fault`, `control, which has no faults, is not clean: .*HTTP 421`},
		{"it dies in the main arm", "", dies, run.ExitViolated, `blast-radius`, ``},
		{"it keeps no record of its turns", "assert: ['exactly-once-turns'],", untouched, run.ExitInconclusive, `exactly-once-turns.*record`, ``},
		{"all get the first one's result", "", caching, run.ExitViolated, `isolation`, `control, which has no faults, is not clean: isolation is violated`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := own(t, tt.assert, tt.before)
			wantNoPass(t, o, tt.exit, tt.reason)
			if said := failing(t, o); !regexp.MustCompile(tt.clause).MatchString(said) {
				t.Errorf("coverage says %q, want %q", said, tt.clause)
			}
		})
	}
}

// TestAttackedByTheDisk fills it up at the start, in the control arm and in the main
// arm: the run says so, and says nothing else.
func TestAttackedByTheDisk(t *testing.T) {
	t.Parallel()
	for _, room := range []int64{0, 5_000, 120_000} {
		t.Run(strconv.FormatInt(room, 10), func(t *testing.T) {
			full := &disk{}
			full.left.Store(room)
			o := storm(t, turnsScript, run.Options{Seed: 1, OpenFile: func(path string) (io.WriteCloser, error) {
				file, err := os.Create(path)
				return diskFile{file, full}, err
			}})
			wantNoPass(t, o, run.ExitInconclusive, `harness errors: .*no space left on device`)
		})
	}
}
