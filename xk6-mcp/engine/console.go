package engine

import (
	"io"
	"sync"
	"time"
)

// Level is how serious a line of a script's console is.
type Level string

// The levels, as console's methods are called; log counts as info.
const (
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// ConsoleLine is one line that a script printed, or that was printed for it.
type ConsoleLine struct {
	Time  time.Time
	Level Level
	Text  string
}

// String is the line as plain text: all levels but info say which they are.
func (l ConsoleLine) String() string {
	if l.Level == LevelInfo {
		return l.Text
	}
	return string(l.Level) + ": " + l.Text
}

// console is where script output goes: whole lines, one at a time, from any
// goroutine.
type console struct {
	mu    sync.Mutex
	print func(ConsoleLine)
}

func newConsole(o LoadOptions) *console {
	switch {
	case o.Print != nil:
		return &console{print: o.Print}
	case o.Console == nil:
		return &console{print: func(ConsoleLine) {}}
	}
	return &console{print: func(l ConsoleLine) {
		// A console that cannot be written to must not stop a run.
		_, _ = io.WriteString(o.Console, l.String()+"\n")
	}}
}

func (c *console) line(l ConsoleLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.print(l)
}
