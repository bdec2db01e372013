package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
)

// How often the progress line is drawn on a terminal, and written to a file.
const (
	drawEvery  = 200 * time.Millisecond
	writeEvery = 5 * time.Second
)

// Progress says where the progress of a run is shown.
type Progress struct {
	Out io.Writer // nil: nowhere
	// Terminal redraws one line in place; otherwise a line is written now and then.
	Terminal bool
}

// show draws the progress line until ctx ends, and once more then.
func (p Progress) show(ctx context.Context, c clock.Clock, t *totals, planned int64) {
	if p.Out == nil {
		return
	}
	draw, every := p.writer(t, planned), writeEvery
	if p.Terminal {
		draw, every = p.drawer(t, planned), drawEvery
	}
	for c.Sleep(ctx, every) == nil {
		draw()
	}
	draw()
	if p.Terminal {
		fmt.Fprintln(p.Out)
	}
}

func (p Progress) writer(t *totals, planned int64) func() {
	of := ""
	if planned > 0 {
		of = fmt.Sprintf(" of %d", planned)
	}
	return func() { fmt.Fprintf(p.Out, "%s: %d%s rollouts · %s\n", t.arm(), t.done(), of, t) }
}

func (p Progress) drawer(t *totals, planned int64) func() {
	bar := progressbar.NewOptions64(max(planned, 1),
		progressbar.OptionSetWriter(p.Out),
		progressbar.OptionSetWidth(16),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(0),
	)
	return func() {
		bar.Describe(t.arm() + " · " + t.String())
		_ = bar.Set64(min(int64(t.done()), max(planned, 1))) // a lost line of progress is no harm
	}
}

// done is how many rollouts have ended.
func (t *totals) done() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, count := range t.outcomes {
		n += count
	}
	return n
}

// String is the totals in one line.
func (t *totals) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ops := 0
	for _, n := range t.ops {
		ops += n
	}
	parts := []string{fmt.Sprintf("%d operations", ops)}
	for _, told := range []history.Told{history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone} {
		if n := t.ops[told]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, told))
		}
	}
	parts = append(parts, fmt.Sprintf("%d faults", t.faults.Load()))
	if n := t.outcomes[history.Failed] + t.outcomes[history.ScriptError]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d rollouts failed", n))
	}
	return strings.Join(parts, " · ")
}
