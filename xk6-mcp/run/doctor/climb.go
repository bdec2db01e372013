package doctor

import (
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

// Climb doubles the rollouts until the host is the limit, and then halves the
// distance twice. It returns the most rollouts that the host carried, zero for
// none, and every level in the order in which they ran. Its error says what kept a
// run from being made.
func Climb(ctx context.Context, s Settings) (carried int, levels []Level, err error) {
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
		levels = append(levels, level)
		if s.Each != nil {
			s.Each(level)
		}
		return level.Held, nil
	}
	carried, err = climb(or(s.From, 64), or(s.To, 4096), held)
	return carried, levels, err
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// climb searches for the last level that holds.
func climb(from, to int, held func(int) (bool, error)) (carried int, err error) {
	broke := 0
	for n := from; n <= to && broke == 0; n *= 2 {
		ok, err := held(n)
		switch {
		case err != nil:
			return carried, err
		case ok:
			carried = n
		default:
			broke = n
		}
	}
	for range 2 {
		middle := (carried + broke) / 2
		if broke == 0 || middle <= carried {
			break
		}
		ok, err := held(middle)
		switch {
		case err != nil:
			return carried, err
		case ok:
			carried = middle
		default:
			broke = middle
		}
	}
	return carried, nil
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
