package run

import (
	"io"
	"strings"
	"sync"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/community"
	"mcpstorm/xk6-mcp/engine"
)

// older makes the clients of the older module's classes. What their server
// processes print goes where the script's own lines go.
func (r *run) older() *community.Clients {
	o := &r.options
	if o.Print == nil && o.Console != nil {
		o.Print = printer(o.Console)
	}
	console := community.Options{Clock: o.Clock}
	if o.Print != nil {
		console.Console = lines{o.Print, o.Clock}
	}
	return community.New(console)
}

// printer writes whole lines, from any goroutine.
func printer(to io.Writer) func(engine.ConsoleLine) {
	var mu sync.Mutex
	return func(line engine.ConsoleLine) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.WriteString(to, line.String()+"\n") // a console that cannot be written to must not stop a run
	}
}

// lines takes whole lines as text and prints each.
type lines struct {
	print func(engine.ConsoleLine)
	clock clock.Clock
}

// Write implements io.Writer.
func (l lines) Write(text []byte) (int, error) {
	l.print(engine.ConsoleLine{Time: l.clock.Now(), Level: engine.LevelInfo, Text: strings.TrimSuffix(string(text), "\n")})
	return len(text), nil
}
