package toxics_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	tox "github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/toxics"
)

// standing is a toxic that acts on a connection of its own.
type standing struct {
	sockets *slowCord
	shut    context.CancelFunc // closes the sockets
	stub    *tox.ToxicStub
	in      chan *stream.StreamChunk
	out     chan *stream.StreamChunk
}

// stand starts a toxic. In its attributes, HUB stands for the id of its hub.
func stand(t *testing.T, name, attributes string) *standing {
	t.Helper()
	open, shut := context.WithCancel(t.Context())
	s := &standing{sockets: &slowCord{open: open}, shut: shut, in: make(chan *stream.StreamChunk), out: make(chan *stream.StreamChunk)}
	hub := toxics.NewHub(toxics.HubOptions{Server: "sim"})
	t.Cleanup(hub.Close)
	wrapper := &tox.ToxicWrapper{Type: name, Toxicity: 1}
	if err := json.Unmarshal([]byte(strings.Replace(attributes, "HUB", hub.ID(), 1)), tox.New(wrapper)); err != nil {
		t.Fatal(err)
	}
	s.stub = tox.NewToxicStub(s.in, s.out)
	hub.Start(hub.NewConn(1, s.sockets), func() { s.stub.State = wrapper.Toxic.(tox.StatefulToxic).NewState() })
	go s.stub.Run(wrapper)
	return s
}

func (s *standing) send(text string) {
	s.in <- &stream.StreamChunk{Data: []byte(text), Timestamp: time.Now()}
}

// read takes what comes until the stream ends, or the sockets are closed.
func (s *standing) read() {
	for {
		select {
		case _, ok := <-s.out:
			if !ok {
				return
			}
		case <-s.sockets.open.Done():
			return
		}
	}
}

// TestTimeoutOfManyPieces: however many pieces are dropped, the toxic waits for one time,
// which counts from the last of them.
func TestTimeoutOfManyPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stand(t, "timeout", `{"timeout":3600000,"hub":"HUB"}`)
		s.send("x")
		synctest.Wait()
		few := runtime.NumGoroutine()
		for range 1000 {
			time.Sleep(time.Millisecond)
			s.send("x")
		}
		synctest.Wait()
		if n, lingering := runtime.NumGoroutine(), s.sockets.lingering.Load(); n > few || lingering != 1 {
			t.Errorf("%d goroutines, %d of which wait for the time; there were %d after the first piece", n, lingering, few)
		}
		last := time.Now()
		if _, ok := <-s.out; ok || time.Since(last) != time.Hour {
			t.Errorf("the stream went on: %t, %v after the last piece", ok, time.Since(last))
		}
		close(s.in)
		synctest.Wait()
		if n := s.sockets.lingering.Load(); n != 0 {
			t.Errorf("%d still wait for a time", n)
		}
	})
}

// TestInterruptedPause: a toxic that is interrupted while it waits for a time leaves nobody
// behind who goes on waiting.
func TestInterruptedPause(t *testing.T) {
	for name, attributes := range map[string]string{
		"timeout":    `{"timeout":3600000,"hub":"HUB"}`,
		"reset_peer": `{"timeout":3600000,"hub":"HUB"}`,
		"bandwidth":  `{"rate":1,"hub":"HUB"}`,
		"mcp_split":  `{"size":1,"pause":3600000,"hub":"HUB"}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stand(t, name, attributes)
				go s.read()
				s.send("xyz")
				synctest.Wait()
				if n := s.sockets.lingering.Load(); n != 1 {
					t.Errorf("%d wait for a time, want 1", n)
				}
				go s.stub.InterruptToxic()
				synctest.Wait()
				close(s.in)
				synctest.Wait()
				if n := s.sockets.lingering.Load(); n != 0 {
					t.Errorf("%d still wait for a time", n)
				}
				s.shut()
			})
		})
	}
}
