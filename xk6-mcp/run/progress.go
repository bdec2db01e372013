package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/engine"
)

// How often the progress is drawn on a terminal, and written to anything else.
const (
	drawEvery  = 200 * time.Millisecond
	writeEvery = 5 * time.Second
)

// Progress shows how a run gets on: a bar for each scenario on a terminal, a
// line now and then elsewhere. What else is written to the same place meanwhile
// must be written through it. One Progress is for one run; all methods may be
// called from any goroutine.
type Progress struct {
	out io.Writer

	mu        sync.Mutex
	arm       string
	scenarios []engine.ScenarioProgress
	bars      *bars // nil where lines are written
}

var _ io.Writer = (*Progress)(nil)

// NewProgress shows the progress on out. A width above zero says that out is a
// terminal with so many columns.
func NewProgress(out io.Writer, width int) *Progress {
	p := &Progress{out: out}
	if width > 0 {
		p.bars = newBars(out, width)
	}
	return p
}

// Write writes whole lines, above the bars where there are any.
func (p *Progress) Write(text []byte) (int, error) {
	if p.bars != nil && p.bars.above(string(text)) {
		return len(text), nil
	}
	return p.out.Write(text)
}

// update takes how an arm's scenarios stand.
func (p *Progress) update(arm string, now engine.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.arm, p.scenarios = arm, now.Scenarios
	if p.bars != nil {
		p.bars.update(arm, now.Scenarios)
	}
}

// show shows the progress until ctx ends, and once more then.
func (p *Progress) show(ctx context.Context, c clock.Clock, t *totals) {
	if p == nil {
		return
	}
	if p.bars != nil {
		p.bars.show(ctx, c, t)
		return
	}
	for c.Sleep(ctx, writeEvery) == nil {
		fmt.Fprintln(p.out, p.line(t))
	}
	fmt.Fprintln(p.out, p.line(t))
}

// await waits until all goroutines that show the progress are there, so that who
// counts the goroutines of this process counts them too. It is called once show is on
// its way.
func (p *Progress) await() {
	if p != nil && p.bars != nil {
		<-p.bars.up
	}
}

// line is the progress in one line.
func (p *Progress) line(t *totals) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	arm := t.arm()
	var parts []string
	for _, s := range p.scenarios {
		if p.arm == arm {
			parts = append(parts, s.Name+" "+standing(s))
		}
	}
	if len(parts) == 0 {
		return arm + ": starting"
	}
	return fmt.Sprintf("%s: %s · %s", arm, strings.Join(parts, ", "), t)
}

// standing is how far a scenario is.
func standing(s engine.ScenarioProgress) string {
	text := fmt.Sprintf("%d", s.Completed+s.Interrupted)
	if s.Planned >= 0 {
		text += fmt.Sprintf(" of %d", s.Planned)
	}
	if s.Dropped > 0 {
		text += fmt.Sprintf(", %d dropped", s.Dropped)
	}
	return text
}

// countOf is a number with its noun.
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// String is the totals in one line.
func (t *totals) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ops := 0
	for _, n := range t.ops {
		ops += n
	}
	parts := []string{countOf(ops, "operation")}
	for _, told := range []history.Told{history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone} {
		if n := t.ops[told]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, told))
		}
	}
	parts = append(parts, countOf(int(t.faults.Load()), "fault"))
	if n := t.outcomes[history.Failed] + t.outcomes[history.ScriptError]; n > 0 {
		parts = append(parts, countOf(n, "rollout")+" failed")
	}
	return strings.Join(parts, " · ")
}
