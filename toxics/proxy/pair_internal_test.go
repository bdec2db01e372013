package proxy

import (
	"context"
	"net"
	"testing"
	"time"

	"mcpstorm/internal/clock"
	"mcpstorm/toxics/plan"
)

// TestCutAmidBytes cuts connections while bytes are written to them. Closing a socket
// waits for whoever writes to it, and so nobody may wait for the closing with the lock
// that a writer takes.
func TestCutAmidBytes(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for range 500 {
		client, clientFar := connected(t, listener)
		server, serverFar := connected(t, listener)
		p := newPair(client, server, clock.System{})
		writing, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for i := 0; ; i++ {
				_, _ = p.client.Write([]byte("x"))
				if i == 0 {
					close(writing)
				}
				if p.Over() != nil {
					return
				}
			}
		}()
		<-writing
		cut := make(chan error, 1)
		go func() { cut <- p.Cut(plan.RST, plan.Detail{}) }()
		for _, end := range []func() bool{
			func() bool { return within(cut) }, func() bool { return within(done) },
		} {
			if !end() {
				t.Fatal("a cut and a write wait for each other")
			}
		}
		clientFar.Close()
		serverFar.Close()
	}
}

// connected is a connection from both ends.
func connected(t *testing.T, listener net.Listener) (near, far *net.TCPConn) {
	t.Helper()
	dialled, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return accepted.(*net.TCPConn), dialled.(*net.TCPConn)
}

func within[T any](event <-chan T) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	select {
	case <-event:
		return true
	case <-ctx.Done():
		return false
	}
}
