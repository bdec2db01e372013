package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hurried is the system's clock, on which the pauses between attempts are a tenth as
// long: what a client decides does not depend on them. Shorter waits, such as the
// latency of a tool, are what they are.
type hurried struct{ clock.System }

func (h hurried) Sleep(ctx context.Context, d time.Duration) error {
	if d > 50*time.Millisecond {
		d /= 10
	}
	return h.System.Sleep(ctx, d)
}

// hurry runs a script that has no times of its own beside the pauses of its clients.
func hurry(t *testing.T, script string, o run.Options) *run.Outcome {
	t.Helper()
	o.Clock = hurried{}
	return storm(t, script, o)
}

// storm runs a script in a folder of its own. The machine is shared with other
// tests, so whether it was the limit is not asked.
func storm(t *testing.T, script string, o run.Options) *run.Outcome {
	t.Helper()
	o.NoHostProbe, o.NoCharts = true, true
	outcome, err := start(t, t.Context(), script, o)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func start(t *testing.T, ctx context.Context, script string, o run.Options) (*run.Outcome, error) {
	t.Helper()
	dir := t.TempDir()
	o.Script, o.Dir = filepath.Join(dir, "script.js"), filepath.Join(dir, "run")
	if err := os.WriteFile(o.Script, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return run.Run(ctx, o)
}

const turnsScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3 } },
  faults: ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'].map((cut) => ({ on: 'sim', cut, share: 0.06 })),
};
export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}`

// marks are what the plan said of each exchange that was sent.
func marks(h *history.Run) map[string]string {
	marks := map[string]string{}
	for _, a := range h.Attempts {
		mark := ""
		if a.Mark != nil {
			mark = a.Mark.Cut + " " + a.Mark.Manner
		}
		marks[fmt.Sprintf("%s/a%d %s", a.Op, a.Attempt, a.Role)] = mark
	}
	return marks
}

// both keeps of two sets of marks what both runs sent.
func both(a, b map[string]string) (inA, inB map[string]string) {
	inA, inB = map[string]string{}, map[string]string{}
	for exchange, mark := range a {
		if other, ok := b[exchange]; ok {
			inA[exchange], inB[exchange] = mark, other
		}
	}
	return inA, inB
}

func TestOneSeedOnePlan(t *testing.T) {
	t.Parallel()
	first := hurry(t, turnsScript, run.Options{Seed: 1})
	again := hurry(t, turnsScript, run.Options{Seed: 1})
	other := hurry(t, turnsScript, run.Options{Seed: 2})
	a, b := both(marks(first.History), marks(again.History))
	if len(a) < 100 {
		t.Fatalf("two runs have only %d exchanges in common", len(a))
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("one seed gave two plans:\n%s", diff)
	}
	if a, c := both(marks(first.History), marks(other.History)); cmp.Equal(a, c) {
		t.Error("another seed gave the same plan")
	}
}

func TestDeliveredFaultsAreThoseMarked(t *testing.T) {
	t.Parallel()
	h := hurry(t, turnsScript, run.Options{Seed: 3}).History
	marked := marks(h)
	if len(h.Faults) == 0 {
		t.Fatal("no fault was delivered")
	}
	for _, f := range h.Faults {
		exchange := fmt.Sprintf("%s/a%d %s", f.Op, f.Attempt, f.Role)
		if want := f.Cut + " " + f.Manner; marked[exchange] != want {
			t.Errorf("%s was cut %s, the plan says %q", exchange, want, marked[exchange])
		}
	}
}

func TestPassAndFail(t *testing.T) {
	t.Parallel()
	clean := hurry(t, turnsScript, run.Options{Seed: 1})
	if clean.Exit != run.ExitPass || clean.Verdict.Status != history.Pass {
		t.Errorf("a clean run: exit %d, %s, because %s", clean.Exit, clean.Verdict.Status, clean.Verdict.Reason)
	}
	for _, bug := range []string{"FM-01"} {
		broken := hurry(t, turnsScript, run.Options{Seed: 1, Bugs: []string{bug}})
		if broken.Exit != run.ExitViolated || broken.Verdict.Status != history.Fail {
			t.Errorf("%s: exit %d, %s", bug, broken.Exit, broken.Verdict.Status)
		}
	}
}

func TestStatefulServer(t *testing.T) {
	t.Parallel()
	script := strings.Replace(turnsScript, "turns: 3", "turns: 3, stateful: true", 1)
	outcome := storm(t, script, run.Options{Seed: 1, Policies: []string{"settle"}})
	if outcome.Exit != run.ExitPass {
		t.Errorf("exit %d: %s %v", outcome.Exit, outcome.Verdict.Reason, outcome.Troubles)
	}
	deletes := 0
	for _, a := range outcome.History.Attempts {
		if a.Role == history.RoleDelete {
			deletes++
		}
	}
	if deletes == 0 {
		t.Error("no session was closed")
	}
}

// TestPoliciesHaveTheVerdictsOfTheirOriginals: a client that never sends a turn
// again fails rollouts although a repeat of a keyed turn does no harm.
func TestPoliciesHaveTheVerdictsOfTheirOriginals(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"verifiers-0.2.0", "at-most-once"} {
		outcome := hurry(t, turnsScript, run.Options{Seed: 1, Policies: []string{policy}})
		failed := outcome.Verdict.Counts.Rollouts[history.Failed]
		spurious := invariant(t, outcome, "no-spurious-failure").Violated
		if failed == 0 || spurious != failed || outcome.Exit != run.ExitViolated {
			t.Errorf("%s: %d rollouts failed, %d spuriously, exit %d (%s)", policy, failed, spurious, outcome.Exit, outcome.Verdict.Reason)
		}
	}
	outcome := hurry(t, turnsScript, run.Options{Seed: 1, Policies: []string{"at-least-once"}})
	if outcome.Exit != run.ExitPass {
		t.Errorf("at-least-once on a keyed tool: exit %d (%s)", outcome.Exit, outcome.Verdict.Reason)
	}
}

func TestNoSecretIsRecorded(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-t0ken"
	script := strings.Replace(turnsScript, "turns: 3", "turns: 3, headers: { Authorization: 'Bearer "+secret+"' }", 1)
	outcome := hurry(t, script, run.Options{Seed: 1})
	files := 0
	err := filepath.WalkDir(outcome.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the token", d.Name())
		}
		files++
		return err
	})
	if err != nil || files < 8 {
		t.Fatalf("looked into %d files: %v", files, err)
	}
}

// disk is a disk with a number of bytes left, shared by many files.
type disk struct{ left atomic.Int64 }

type diskFile struct {
	*os.File
	disk *disk
}

func (f diskFile) Write(p []byte) (int, error) {
	left := f.disk.left.Add(-int64(len(p)))
	if left >= 0 {
		return f.File.Write(p)
	}
	n := max(int64(len(p))+left, 0)
	written, err := f.File.Write(p[:n])
	return written, errors.Join(err, syscall.ENOSPC)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	full := &disk{}
	full.left.Store(50_000)
	outcome := hurry(t, turnsScript, run.Options{Seed: 1, OpenFile: func(path string) (io.WriteCloser, error) {
		file, err := os.Create(path)
		return diskFile{file, full}, err
	}})
	if outcome.Exit != run.ExitInconclusive || !strings.Contains(strings.Join(outcome.Troubles, "\n"), "no space left on device") {
		t.Errorf("exit %d, troubles %v; want 2, naming the full disk", outcome.Exit, outcome.Troubles)
	}
	if len(outcome.History.Attempts) == 0 {
		t.Error("nothing of the history can be read")
	}
}

func TestStoppedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outcome, err := start(t, ctx, turnsScript, run.Options{Seed: 1})
	if err != nil {
		var failed *run.Error
		if !errors.As(err, &failed) || failed.Code != run.ExitStopped {
			t.Fatalf("Run: %v", err)
		}
		return
	}
	if outcome.Exit != run.ExitStopped {
		t.Errorf("exit %d, want %d", outcome.Exit, run.ExitStopped)
	}
}

func TestSeedIsTheRootOfAllChance(t *testing.T) {
	t.Parallel()
	nonces := func(root seed.Root) (list []string) {
		for _, r := range hurry(t, turnsScript, run.Options{Seed: root, VUs: 2}).History.Rollouts {
			if r.Arm != "main" {
				continue
			}
			for _, turn := range r.Turns {
				list = append(list, r.Rollout+" "+turn.Nonce)
			}
		}
		return list
	}
	sorted := cmp.Transformer("set", func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, s := range list {
			set[s] = true
		}
		return set
	})
	five := nonces(5)
	if len(five) != 8 {
		t.Fatalf("two rollouts of three turns and an end have %d nonces, want 8", len(five))
	}
	if diff := cmp.Diff(five, nonces(5), sorted); diff != "" {
		t.Errorf("one seed gave two transcripts:\n%s", diff)
	}
	if cmp.Equal(five, nonces(6), sorted) {
		t.Error("another seed gave the same transcripts")
	}
}
