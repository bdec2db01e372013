package capacity_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/run"
	"mcpstorm/xk6-mcp/run/capacity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// admitting is a search on a server that takes n requests at once. A call takes so long
// that all rollouts meet in the server also where the machine is busy with others.
func admitting(dir, n string) capacity.Settings {
	return capacity.Settings{
		Run: run.Options{
			Script: filepath.Join("testdata", "admit.js"), Seed: seed.Root(1), NoHostProbe: true,
			Env: map[string]string{"ADMIT": n, "LATENCY": "1s", "CALLS": "1"},
		},
		Objectives: []string{"failed<20%"}, From: 16, To: 32, Dir: dir,
	}
}

// What another build has measured is said, and measured again.
func TestAnotherBuildMeasuresAgain(t *testing.T) {
	settings := admitting(t.TempDir(), "20")
	settings.Run.Version, settings.Run.Env["LATENCY"] = "v1", "1ms"
	search := func(revision string) (heard []string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		settings.Run.Revision = revision
		settings.Stale = func(levels int, program string) { heard = append(heard, fmt.Sprint(levels, " by ", program)) }
		settings.Each = func(_ string, l capacity.Level, known bool) {
			heard = append(heard, fmt.Sprintf("level %d known %t", l.Concurrency, known))
			cancel() // after the first level
		}
		if _, _, err := capacity.Search(ctx, settings); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return heard
	}
	for _, c := range []struct {
		revision string
		want     []string
	}{
		{"abc", []string{"level 16 known false"}},
		{"abc", []string{"level 16 known true"}},
		{"def", []string{"1 by v1 abc", "level 16 known false"}},
		{"def", []string{"level 16 known true"}},
	} {
		if diff := cmp.Diff(c.want, search(c.revision)); diff != "" {
			t.Errorf("by %s: %s", c.revision, diff)
		}
	}
}

// A limit that is known is found within 5 %, also where the search was stopped on its
// way, and what was measured before is not measured again.
func TestFindsAKnownLimit(t *testing.T) {
	const limit = 20
	settings := admitting(t.TempDir(), "20")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	settings.Each = func(string, capacity.Level, bool) { cancel() } // after the first level
	part, _, err := capacity.Search(ctx, settings)
	if !errors.Is(err, context.Canceled) || part == nil || part.Finished || len(part.Curves[0].Levels) != 1 {
		t.Fatalf("stopped after one level: %+v, %v", part, err)
	}
	known, anew := 0, 0
	settings.Each = func(_ string, _ capacity.Level, before bool) {
		if before {
			known++
		} else {
			anew++
		}
	}
	got, dir, err := capacity.Search(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	curve := got.Curves[0]
	if math.Abs(float64(curve.Capacity-limit)) > 0.05*limit || curve.Beyond {
		t.Errorf("found %d, and the limit is %d: %+v", curve.Capacity, limit, curve.Levels)
	}
	if curve.Limit == nil || curve.Limit.Kind != capacity.Target {
		t.Errorf("the limit is the target's, and not %+v", curve.Limit)
	}
	if known != 1 || anew != len(curve.Levels)-1 || !got.Finished {
		t.Errorf("%d levels known and %d measured of %d, finished: %t", known, anew, len(curve.Levels), got.Finished)
	}
	paths, err := got.Draw(dir)
	if err != nil || len(paths) != 2 {
		t.Errorf("drew %v, %v", paths, err)
	}
	if runs, err := os.ReadDir(filepath.Join(dir, "levels")); err != nil || len(runs) != 0 {
		t.Errorf("%d runs are left, %v", len(runs), err)
	}
	unprobed := settings
	unprobed.Run.NoHostProbe = false
	if _, _, err := capacity.Search(t.Context(), unprobed); !errors.Is(err, capacity.ErrAnother) {
		t.Errorf("the same search with the host probed: %v", err)
	}
	settings.To = 64
	if _, _, err := capacity.Search(t.Context(), settings); !errors.Is(err, capacity.ErrAnother) {
		t.Errorf("another search in its folder: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*capacity.Settings)
		want   error
	}{
		"an objective":     {func(s *capacity.Settings) { s.Objectives = []string{"faild<1%"} }, capacity.ErrObjective},
		"too few rollouts": {func(s *capacity.Settings) { s.Rollouts = 10 }, capacity.ErrSettings},
		"levels":           {func(s *capacity.Settings) { s.From, s.To = 9, 8 }, capacity.ErrSettings},
		"within":           {func(s *capacity.Settings) { s.Within = 2 }, capacity.ErrSettings},
		"a policy twice":   {func(s *capacity.Settings) { s.Policies = []string{"settle", "settle"} }, capacity.ErrSettings},
		"two judged arms":  {func(s *capacity.Settings) { s.Run.Script, s.From = filepath.Join("testdata", "two-arms.js"), 2 }, capacity.ErrScript},
		"a latency of none": {func(s *capacity.Settings) {
			s.Objectives, s.Run.Env["LATENCY"] = []string{"mcp_op_duration{kind:turn} p50<1s"}, "1ms"
		}, capacity.ErrObjective},
	} {
		t.Run(name, func(t *testing.T) {
			settings := admitting(t.TempDir(), "20")
			c.change(&settings)
			if _, _, err := capacity.Search(t.Context(), settings); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	var failed *run.Error
	settings := admitting(t.TempDir(), "20")
	for _, script := range []string{"nowhere.js", filepath.Join("testdata", "plain.js")} {
		settings.Run.Script = script
		if _, _, err := capacity.Search(t.Context(), settings); !errors.As(err, &failed) || failed.Code != run.ExitOptions {
			t.Errorf("%s: %v", script, err)
		}
	}
}
