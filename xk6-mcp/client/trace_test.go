package client

import (
	"net"
	"testing"
	"time"
)

// blocked is a connection whose writes take nothing and end with an error, once they
// are let go.
type blocked struct {
	net.Conn
	entered, release chan struct{}
}

func (b *blocked) Write([]byte) (int, error) {
	close(b.entered)
	<-b.release
	return 0, net.ErrClosed
}

// taking is a connection that takes every byte.
type taking struct{ net.Conn }

func (taking) Write(p []byte) (int, error) { return len(p), nil }

// The write of an abandoned exchange may end, and take back what it had counted, while
// the next exchange runs on another connection, whose bytes are counted all the same:
// a request that was sent must never look unsent.
func TestCountsOfAnAbandonedConnection(t *testing.T) {
	request := []byte("POST /r/t000001.1/mcp HTTP/1.1")
	tr := newTracer(time.Second, nil)
	old := &blocked{entered: make(chan struct{}), release: make(chan struct{})}
	abandoned := &countedConn{Conn: old}
	tr.dialled(abandoned)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = abandoned.Write(request) // fails, as it is to
	}()
	<-old.entered
	before := tr.mark()
	fresh := &countedConn{Conn: taking{}}
	tr.dialled(fresh)
	if _, err := fresh.Write(request); err != nil {
		t.Fatal(err)
	}
	close(old.release)
	<-ended
	if seen := tr.since(before); seen.unsent() || seen.written != int64(len(request)) || seen.trace != traceWrote || !seen.connNew {
		t.Errorf("%+v, want %d bytes on a new connection", seen, len(request))
	}
}
