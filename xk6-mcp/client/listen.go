package client

import (
	"context"
	"net/http"

	"mcpstorm/history"
)

// listener is the stream that a session keeps open for what its server says
// unasked (2025-11-25, basic/transports, Listening for Messages from the Server). It
// has a connection of its own, and is not opened again once it has ended.
type listener struct {
	client  *Client // with a connection and a record of its own
	records []history.Attempt
	cancel  context.CancelFunc
	ended   chan struct{}
}

// listen opens the stream in a session that the server knows by an id, where the
// policy wants one. Nothing waits for it.
func (c *Client) listen(a *attempt, session string) {
	if !c.options.Policy.Listen || session == "" {
		return
	}
	l := &listener{ended: make(chan struct{})}
	options := c.options
	options.Recorder = recorderFunc(func(at history.Attempt) { l.records = append(l.records, at) })
	l.client = &Client{options: options, blank: c.blank, tracer: newTracer(dialTimeout, c.options.Refuse)}
	a.exchanges++
	own := &attempt{ref: a.ref, exchanges: a.exchanges - 1}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	c.listening = l
	go func() {
		defer close(l.ended)
		l.client.exchange(ctx, own, request{role: history.RoleGet, method: http.MethodGet, session: session})
	}()
}

// hush ends the stream, if there is one, and records it.
func (c *Client) hush() {
	l := c.listening
	if l == nil {
		return
	}
	c.listening = nil
	l.cancel()
	<-l.ended
	l.client.tracer.transport.CloseIdleConnections()
	for _, at := range l.records {
		c.options.Recorder.Attempt(heard(at))
	}
}

// heard is the record of a stream: one that we ended ourselves ended well, and so
// did one that the server does not offer (405).
func heard(at history.Attempt) history.Attempt {
	ours := at.Cause != nil && at.Cause.Class == classCancelled
	if ours || at.Status == http.StatusMethodNotAllowed {
		at.Told, at.Cause = history.ToldOK, nil
	}
	return at
}
