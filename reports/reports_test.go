package reports_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testRun is a run as a summary reads it.
func testRun() *history.Run {
	return &history.Run{
		Dir: "runs/20261129T101500Z-7f3a",
		Manifest: history.Manifest{
			Schema: history.Schema, ID: "20261129T101500Z-7f3a", State: history.StateFinished, Seed: 42,
			Notes:  []string{"r03 is not seeded: toxicity or jitter draw from a global source"},
			Script: history.Script{Path: "scenarios/lost-answers.js"},
			Arms: []history.Arm{
				{Name: "control", Control: true, Judge: true},
				{
					Name: "main", Judge: true,
					Policies:  map[string]string{"sim": "settle", "tools": "at-least-once"},
					Bugs:      []string{"FM-05"},
					Scenarios: []history.Scenario{{Name: "rollouts", Executor: "per-vu-iterations", VUs: 512, Planned: 512}},
					Servers: []history.Server{
						{Name: "sim", Reference: "usersim", Era: "2025-11-25", Effects: true},
						{Name: "tools", URL: "http://127.0.0.1:9000/mcp", Era: "2025-11-25"},
					},
				},
			},
		},
		Plan: []history.PlanRule{
			{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", At: history.RoleCall, Share: 0.15, During: []string{"5s", "25s"}},
			{Arm: "main", Rule: "r02", On: "tools", Cut: "C0", Manner: "rst", At: history.RoleInitialize, Op: "t000017/s02", Attempt: 1},
			{Arm: "main", Rule: "r03", On: "sim", Toxic: "latency", Stream: "downstream"},
			{Arm: "control", Rule: "r01", On: "sim", Cut: "C1", Manner: "fin"},
		},
	}
}

func passing() history.Verdict {
	return history.Verdict{
		Schema: history.Schema, Run: "20261129T101500Z-7f3a", Status: history.Pass, Reason: "exactly-once-turns, truthful-outcome and no-hang hold",
		Invariants: []history.Invariant{
			{ID: "coverage", Status: history.Pass, Evaluated: 7, Unit: "clauses"},
			{ID: "exactly-once-turns", Status: history.Pass, Evaluated: 512, Unit: "rollouts", Rate: &history.Interval{Of: 512, High: 0.00718}},
			{
				ID: "truthful-outcome", Status: history.Pass, Evaluated: 5120, Unit: "operations", Rate: &history.Interval{Of: 5120, High: 0.00718},
				Clauses: []history.Clause{{Name: "not evaluated", Status: history.NotEvaluated, Text: "12 operations: the witness cannot tell whether it was executed"}},
			},
			{ID: "no-hang", Status: history.Pass, Evaluated: 6144, Unit: "operations", Rate: &history.Interval{Of: 6144, High: 0.00718}},
			{ID: "no-leak", Status: history.NotEvaluated, Reason: "this version has no such invariant"},
		},
		Rates: []history.Rate{
			{Name: "told-unknown", Text: "operations told unknown", Rate: history.Interval{Count: 41, Of: 5120, Rate: 0.008, Low: 0.0057, High: 0.0108}},
			{Name: "over-caution", Text: "operations told unknown though nothing ran and the client could know", Rate: history.Interval{Of: 5120, High: 0.00718}},
		},
		Counts: history.Counts{
			Rollouts: map[history.Outcome]int{history.Completed: 498, history.Failed: 14},
			Ops:      map[history.Told]int{history.ToldOK: 6103, history.ToldUnknown: 41},
			Attempts: 6_912, Exchanges: 14_012,
			Faults: map[history.FaultState]int{history.FaultDelivered: 772, history.FaultMissed: 3},
			Cuts:   map[string]int{"C4 rst": 612, "C4 fin": 100, "C1 rst": 20, "C3w hold": 40},
		},
	}
}

func failing() history.Verdict {
	v := passing()
	v.Status, v.Reason = history.Fail, "exactly-once-turns is violated in 3 of 512 rollouts"
	v.Counts.Commits, v.Counts.Replays = 2_562, 598
	v.Invariants[1] = history.Invariant{
		ID: "exactly-once-turns", Status: history.Fail, Evaluated: 512, Violated: 3, Unit: "rollouts",
		Reason: "3 × the simulator advanced twice for one key",
		Rate:   &history.Interval{Count: 3, Of: 512, Rate: 0.00586, Low: 0.00121, High: 0.01704},
		Proof: &history.Proof{
			Task: "t000017", Op: "t000017/s03", Text: "sim advanced 2 times for seq:4: a retry was taken for a new turn",
			Events: []string{
				"attempt 1 of s03 (seq:4): handed over whole, answer seen: ok (HTTP 200); cut C4 rst after 312 bytes up and 0 down; the client wrote 312 and read 0 bytes, reset (read: connection reset by peer): unknown",
				"attempt 2 of s03 (seq:4): handed over whole, answer seen: ok (HTTP 200); the client wrote 312 and read 210 bytes, HTTP 200: ok",
				"s03 turn respond on sim (seq:4), keyed was told ok after 2 attempts in 212ms",
				"sim advanced to turn 3 for seq:4, nonce ab12cd34…",
				"sim advanced to turn 4 for seq:4, nonce ef56ab78…",
			},
		},
	}
	return v
}

func inconclusive() history.Verdict {
	v := passing()
	v.Status, v.Reason = history.Inconclusive, "coverage does not hold: receipts: the plan has 1 rule, and no fault was delivered"
	v.Counts.Faults, v.Counts.Cuts = nil, nil
	v.Invariants[0] = history.Invariant{ID: "coverage", Status: history.Fail, Evaluated: 7, Violated: 2, Unit: "clauses", Clauses: []history.Clause{
		{Name: "planned = started", Status: history.Fail, Text: "rollouts: 500 of 512 started, 12 never"},
		{Name: "receipts", Status: history.Fail, Text: "the plan has 1 rule, and no fault was delivered"},
		{Name: "control arm", Status: history.NotEvaluated, Text: "the run has no control arm"},
	}}
	return v
}

func summary(t *testing.T, v history.Verdict, style reports.Style) string {
	t.Helper()
	var out bytes.Buffer
	if err := reports.Terminal(&out, v, testRun(), style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict history.Verdict
		style   reports.Style
	}{
		{"pass", passing(), reports.Style{}},
		{"fail", failing(), reports.Style{}},
		{"fail-color", failing(), reports.Style{Color: true}},
		{"fail-narrow-ascii", failing(), reports.Style{Width: 60, ASCII: true}},
		{"inconclusive", inconclusive(), reports.Style{}},
		{"compared", compared(), reports.Style{}},
		{"nothing", history.Verdict{Status: history.Inconclusive, Reason: "no invariant could be evaluated"}, reports.Style{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, summary(t, c.verdict, c.style))
		})
	}
}

// golden compares a text with the one that testdata holds.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the text changed (run with -update to accept):\n%s", diff)
	}
}

// Colour only adds: without its codes the summary is the plain one. No line is
// wider than the terminal, and ASCII is ASCII.
func TestTerminalStyles(t *testing.T) {
	for name, v := range map[string]history.Verdict{"pass": passing(), "fail": failing(), "inconclusive": inconclusive(), "compared": compared()} {
		t.Run(name, func(t *testing.T) {
			plain := summary(t, v, reports.Style{})
			colored := summary(t, v, reports.Style{Color: true})
			for _, code := range []string{"0", "1", "2", "1;31", "1;32", "1;33"} {
				colored = strings.ReplaceAll(colored, "\x1b["+code+"m", "")
			}
			strip := func(s string) string { return strings.Join(strings.Fields(s), " ") }
			if diff := cmp.Diff(strip(plain), strip(colored)); diff != "" {
				t.Errorf("colour changes the words:\n%s", diff)
			}
			for _, width := range []int{50, 60, 80, 120} {
				for line := range strings.Lines(summary(t, v, reports.Style{Width: width, ASCII: true})) {
					line = strings.TrimSuffix(line, "\n")
					if n := utf8.RuneCountInString(line); n > width && !strings.Contains(line, "mcpstorm explain") {
						t.Errorf("%d columns in a terminal of %d: %q", n, width, line)
					}
					for _, r := range line {
						if r > 126 {
							t.Errorf("%q in ASCII: %q", r, line)
						}
					}
				}
			}
			lines := strings.Split(strings.TrimSpace(plain), "\n")
			for _, i := range []int{0, len(lines) - 1} {
				if !strings.HasPrefix(lines[i], "VERDICT: "+strings.ToUpper(string(v.Status))) {
					t.Errorf("line %d is %q, want the verdict", i, lines[i])
				}
			}
		})
	}
}

type brokenPipe struct{}

var errPipe = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

// Invariants that one reason keeps from being judged take one line.
func TestOneLineForOneReason(t *testing.T) {
	v := passing()
	for _, id := range []string{"recovery", "another"} {
		v.Invariants = append(v.Invariants, history.Invariant{ID: id, Status: history.NotEvaluated, Reason: "this version cannot judge it"})
	}
	var out bytes.Buffer
	if err := reports.Terminal(&out, v, testRun(), reports.Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "\n  not evaluated  recovery, another   this version cannot judge it\n"; !strings.Contains(out.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, out.String())
	}
}

// A dumb terminal gets bytes below 0x80 alone, whatever the history holds.
func TestASCII(t *testing.T) {
	v := passing()
	v.Reason = "„über“ is not evaluated"
	v.Invariants[0].Status, v.Invariants[0].Proof = history.Fail, &history.Proof{Text: "s02 was told ok in 153µs, or 2μs, × 2\xff"}
	var out bytes.Buffer
	if err := reports.Terminal(&out, v, testRun(), reports.Style{ASCII: true}); err != nil {
		t.Fatal(err)
	}
	if i := bytes.IndexFunc(out.Bytes(), func(r rune) bool { return r > 127 }); i >= 0 {
		t.Errorf("byte %d is no ASCII: %q", i, out.Bytes()[i:min(i+20, out.Len())])
	}
	for _, want := range []string{`153us, or 2us, x 2\xff`, "??ber? is not"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}

func TestTerminalReportsItsWriter(t *testing.T) {
	if err := reports.Terminal(brokenPipe{}, passing(), testRun(), reports.Style{}); !errors.Is(err, errPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

func TestVerdictFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := reports.ReadVerdict(dir); !errors.Is(err, reports.ErrNoVerdict) {
		t.Errorf("an empty directory: got %v", err)
	}
	for _, v := range []history.Verdict{passing(), failing()} { // the second replaces the first
		if err := reports.WriteVerdict(dir, v); err != nil {
			t.Fatal(err)
		}
		got, err := reports.ReadVerdict(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Error(diff)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left (%v), want the verdict alone", len(entries), err)
	}
}

func TestVerdictFileSadRows(t *testing.T) {
	if err := reports.WriteVerdict(filepath.Join(t.TempDir(), "none"), passing()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: got %v", err)
	}
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"another version", `{"schema": 99}`, reports.ErrVerdictSchema},
		{"no version", `{}`, reports.ErrVerdictSchema},
		{"half a file", `{"schema": 1, "run"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, history.VerdictFile), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := reports.ReadVerdict(dir); err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// A verdict that cannot be put in place leaves no part of itself behind.
func TestWriteVerdictCleansUp(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, history.VerdictFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := reports.WriteVerdict(dir, passing()); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d entries are left, want the directory alone", len(entries))
	}
}

func TestExitCode(t *testing.T) {
	for status, want := range map[history.Status]int{
		history.Pass: 0, history.Fail: 1, history.Inconclusive: 2, history.NotEvaluated: 2, "": 2,
	} {
		if got := reports.ExitCode(status); got != want {
			t.Errorf("%q gives %d, want %d", status, got, want)
		}
	}
}

// A verdict says what else set the exit code, and is not green then.
func TestVerdictBeside(t *testing.T) {
	for _, c := range []struct {
		name   string
		status history.Status
		beside string
		want   string
	}{
		{"nothing", history.Pass, "", "\x1b[1;32mVERDICT: PASS\x1b[0m"},
		{"a pass", history.Pass, "a threshold failed (exit 99)", "\x1b[1;31mVERDICT: PASS, but a threshold failed (exit 99)\x1b[0m"},
		{"inconclusive", history.Inconclusive, "a threshold failed (exit 99)", "\x1b[1;33mVERDICT: INCONCLUSIVE, and a threshold failed (exit 99)\x1b[0m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reports.VerdictLine(c.status, c.beside, reports.Style{Color: true}); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			v := passing()
			v.Status = c.status
			var out bytes.Buffer
			if err := reports.TerminalBeside(&out, v, testRun(), c.beside, reports.Style{Color: true}); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(out.String(), "\n"+c.want+"\n") {
				t.Errorf("the last line is not %q:\n%s", c.want, out.String())
			}
		})
	}
}
