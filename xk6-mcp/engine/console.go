package engine

import (
	"io"
	"sync"
)

// console is where script output goes: whole lines, from any goroutine.
type console struct {
	mu sync.Mutex
	to io.Writer
}

func (c *console) line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A console that cannot be written to must not stop a run.
	_, _ = io.WriteString(c.to, text+"\n")
}
