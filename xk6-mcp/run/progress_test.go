package run_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/run"
)

// screen is a terminal's input, which any goroutine may write.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

const chattyScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: {
  turns: { executor: 'per-vu-iterations', vus: 4, iterations: 2 },
  more: { executor: 'shared-iterations', vus: 1, iterations: 3 },
} };
export const storm = { servers: { sim: { server: 'usersim', turns: 1 } } };
export default function () {
  mcp.rollout().connect('sim').respond('');
  console.log('a line of the script');
}`

// escapes are what moves a cursor and erases lines.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func TestProgressLines(t *testing.T) {
	var out screen
	storm(t, chattyScript, run.Options{Progress: run.NewProgress(&out, 0)})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "main: turns 8 of 8, more 3 of 3 · 22 operations") {
		t.Errorf("the last line is %q", last)
	}
	if escapes.MatchString(out.String()) {
		t.Errorf("escapes in %q", out.String())
	}
}

func TestProgressBars(t *testing.T) {
	const width = 70
	var out screen
	progress := run.NewProgress(&out, width)
	print := func(l engine.ConsoleLine) { _, _ = progress.Write([]byte(l.Text + "\n")) }
	o := storm(t, chattyScript, run.Options{Progress: progress, Print: print})
	base := map[string]int64{}
	for _, r := range o.History.Resources { // the drawing itself is nothing that an arm leaves behind
		switch n := r.Counts["goroutines"]; {
		case r.Server != "":
		case r.Phase == history.ResourceBase:
			base[r.Arm] = n
		case r.Phase == history.ResourceEnd && n > base[r.Arm]:
			t.Errorf("arm %s: %d goroutines, and %d in the end", r.Arm, base[r.Arm], n)
		}
	}
	text := out.String()
	plain := escapes.ReplaceAllString(text, "")
	for line := range strings.SplitSeq(plain, "\n") {
		if utf8.RuneCountInString(line) >= width {
			t.Errorf("a line of %d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
	for _, want := range []string{"control turns 8 of 8", "main turns 8 of 8", "main more 3 of 3", "100%"} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in %q", want, plain)
		}
	}
	if n := strings.Count(plain, "a line of the script\n"); n != 22 {
		t.Errorf("%d lines of the script, want 22", n)
	}
	if !strings.HasSuffix(text, "\n") || strings.Contains(text, "\x1b[?") {
		t.Errorf("the terminal is left as %q", text)
	}
}

// TestProgressBarsEnd stops a run before it has begun, and half way.
func TestProgressBarsEnd(t *testing.T) {
	for _, name := range []string{"before", "half way"} {
		t.Run(name, func(t *testing.T) {
			var out screen
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if name == "before" {
				cancel()
			}
			o := run.Options{Progress: run.NewProgress(&out, 60), NoHostProbe: true, NoCharts: true, Print: func(engine.ConsoleLine) { cancel() }}
			_, _ = start(t, ctx, chattyScript, o) // what it returns is tried elsewhere
			if text := out.String(); text != "" && !strings.HasSuffix(text, "\n") {
				t.Errorf("the terminal is left as %q", text)
			}
		})
	}
}
