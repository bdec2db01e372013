package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/engine"
)

// How wide a bar and its text are at most, in columns.
const (
	barWidth     = 20
	messageWidth = 40
)

// barSteps is how finely a bar tells how far a scenario is.
const barSteps = 10_000

// settleEvery is how often the writer is asked whether it draws.
const settleEvery = 10 * time.Millisecond

// bars are a bar for each scenario of each arm, and a line of totals above them.
type bars struct {
	writer progress.Writer
	up     chan struct{} // closed when the goroutines that draw are there

	mu       sync.Mutex
	drawing  bool
	arm      string
	trackers map[string]*progress.Tracker // those of the arm, by scenario
}

func newBars(out io.Writer, width int) *bars {
	w := progress.NewWriter()
	w.SetOutputWriter(out)
	w.SetTerminalWidth(width - 1) // a full last column would wrap on some terminals
	w.SetMessageLength(min(messageWidth, max(width/2, 1)))
	w.SetTrackerLength(barWidth)
	w.SetTrackerPosition(progress.PositionRight)
	w.SetUpdateFrequency(drawEvery)
	style := progress.StyleDefault
	style.Options.DoneString = "done"
	style.Options.Separator = " "
	style.Options.PercentFormat = "%3.0f%%"
	style.Options.TimeDonePrecision, style.Options.TimeInProgressPrecision = drawEvery, drawEvery
	style.Visibility.Value = false
	w.SetStyle(style)
	return &bars{writer: w, up: make(chan struct{}), trackers: make(map[string]*progress.Tracker)}
}

// show draws until ctx ends, and once more then. The cursor is left at the start
// of a line of its own.
func (b *bars) show(ctx context.Context, c clock.Clock, t *totals) {
	drawn := make(chan struct{})
	go func() {
		defer close(drawn)
		b.writer.Render()
	}()
	b.draw(true)
	for !b.writer.IsRenderInProgress() && c.Sleep(ctx, settleEvery) == nil {
	}
	_ = c.Sleep(ctx, settleEvery) // the writer's own goroutine is started next
	close(b.up)
	for c.Sleep(ctx, drawEvery) == nil {
		b.writer.SetPinnedMessages(t.arm() + ": " + t.String())
	}
	b.writer.SetPinnedMessages(t.arm() + ": " + t.String())
	b.draw(false)
	// A stop that comes before the drawing has begun is lost, so it is asked for
	// until it is heard.
	stopped, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-drawn
		cancel()
	}()
	for stopped.Err() == nil {
		b.writer.Stop()
		_ = c.Sleep(stopped, drawEvery)
	}
}

func (b *bars) draw(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drawing = on
}

// above puts lines above the bars. It reports false when nothing is drawn that
// they could spoil.
func (b *bars) above(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.drawing || len(b.trackers) == 0 {
		return false
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.writer.Log("%s", line)
	}
	return true
}

// update moves the bars of an arm. Those of the arm before it are done.
func (b *bars) update(arm string, scenarios []engine.ScenarioProgress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if arm != b.arm {
		for _, tracker := range b.trackers {
			tracker.MarkAsDone()
		}
		b.arm = arm
		clear(b.trackers)
	}
	for _, s := range scenarios {
		tracker := b.trackers[s.Name]
		if tracker == nil {
			tracker = &progress.Tracker{Total: barSteps}
			b.trackers[s.Name] = tracker
			b.writer.AppendTracker(tracker)
		}
		tracker.UpdateMessage(fmt.Sprintf("%s %s %s", arm, s.Name, standing(s)))
		// The last step would end the bar, which only the next arm may do.
		tracker.SetValue(min(int64(s.Share*barSteps), barSteps-1))
	}
}
