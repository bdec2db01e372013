package doctor

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/run"
	"mcpstorm/xk6-mcp/run/levels"
)

//go:embed carry.js
var carryScript []byte

// Level is one run without faults.
type Level struct {
	Rollouts int `json:"rollouts"` // at once
	// Held is true when the host was not the limit; Text says how far it was from
	// that, or what the limit was.
	Held bool   `json:"held"`
	Text string `json:"text"`
	// Took is how long the run took.
	Took time.Duration `json:"took_ns"`
}

// Settings are how far a climb goes.
type Settings struct {
	// From and To are the first level and the last, in rollouts at once: 64 and 4096
	// where they are zero.
	From, To int
	Clock    clock.Clock
	// Each hears of every level as it ends; nil hears nothing.
	Each func(Level)
}

// within is how close a climb comes to the limit, as a share of it.
const within = 0.25

// Climb doubles the rollouts until the host is the limit, and then halves the
// distance until it is within a quarter. It returns the most rollouts that the host
// carried, zero for none, and every level in the order in which they ran. Its error says
// what kept a run from being made.
func Climb(ctx context.Context, s Settings) (carried int, ran []Level, err error) {
	dir, err := os.MkdirTemp("", "mcpstorm-doctor-")
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	script := filepath.Join(dir, "carry.js")
	if err := os.WriteFile(script, carryScript, 0o600); err != nil {
		return 0, nil, err
	}
	held := func(rollouts int) (bool, error) {
		level, err := carry(ctx, s.Clock, script, filepath.Join(dir, fmt.Sprint(rollouts)), rollouts)
		if err != nil {
			return false, err
		}
		ran = append(ran, level)
		if s.Each != nil {
			s.Each(level)
		}
		return level.Held, nil
	}
	carried, err = levels.Search(cmp.Or(s.From, 64), cmp.Or(s.To, 4096), within, held)
	return carried, ran, err
}

// carry makes one run, and asks its verdict whether the host was the limit.
func carry(ctx context.Context, c clock.Clock, script, dir string, rollouts int) (Level, error) {
	begun := c.Now()
	outcome, err := run.Run(ctx, run.Options{
		Script: script, Dir: dir, VUs: rollouts, Seed: seed.Root(1), Clock: c, NoCharts: true,
	})
	if err != nil {
		return Level{}, fmt.Errorf("%d rollouts: %w", rollouts, err)
	}
	if err := ctx.Err(); err != nil {
		return Level{}, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return Level{}, err
	}
	level := Level{Rollouts: rollouts, Took: c.Since(begun)}
	level.Held, level.Text = ownLimit(outcome.Verdict)
	return level, nil
}

// ownLimit reads what coverage says of the host and of the harness.
func ownLimit(v history.Verdict) (held bool, text string) {
	for _, invariant := range v.Invariants {
		for _, clause := range invariant.Clauses {
			if clause.Name == "host" {
				return clause.Status == history.Pass, clause.Text
			}
		}
	}
	return false, "the verdict says nothing of the host: " + v.Reason
}
