package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"

	"mcpstorm/internal/seed"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

func TestOnlyLoopback(t *testing.T) {
	tests := []struct{ name, listen, upstream string }{
		{"remote upstream", "", "192.0.2.1:80"},
		{"upstream by name", "", "example.org:80"},
		{"every interface", "0.0.0.0:0", "127.0.0.1:80"},
		{"no host", ":0", "127.0.0.1:80"},
		{"upstream without a host", "", ":80"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := proxy.Start(proxy.Options{Name: "sim", Listen: tt.listen, Upstream: tt.upstream})
			if !errors.Is(err, proxy.ErrRemote) {
				t.Errorf("Start = %v, want ErrRemote", err)
			}
		})
	}
	if _, err := proxy.Start(proxy.Options{Name: "sim", Upstream: "127.0.0.1"}); err == nil {
		t.Error("an address without a port was accepted")
	}
}

func TestStartFailsWhenThePortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = proxy.Start(proxy.Options{Name: "sim", Listen: l.Addr().String(), Upstream: "127.0.0.1:1"})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("Start = %v, want EADDRINUSE", err)
	}
}

func TestFailedDialResetsTheClient(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody listens there now
	p, err := proxy.Start(proxy.Options{Name: "sim", Upstream: l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", p.Addr()) // the reset can come as early as here
	if err == nil {
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client was told %v, want ECONNRESET", err)
	}
	if s := p.Stats(); s.DialErrors != 1 || s.Open != 0 {
		t.Errorf("stats: %+v", s)
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestBytesPassUnharmed sends random bytes, in both directions at once, through
// every toxic: what is no HTTP passes as it is, in pieces of any size.
func TestBytesPassUnharmed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				conn.Close()
			}()
		}
	}()
	pl, err := plan.New([]plan.Rule{cutting(plan.C4, plan.RST)}, 1, map[int]string{0: "default"})
	if err != nil {
		t.Fatal(err)
	}
	delay := plan.Rule{ID: "r02", On: "sim", Toxic: "latency", Stream: "downstream", Toxicity: 1, Attributes: map[string]any{"latency": 1}}
	p, err := proxy.Start(proxy.Options{Name: "sim", Upstream: l.Addr().String(), Decider: pl, Toxics: []plan.Rule{delay}})
	if err != nil {
		t.Fatal(err)
	}
	for root := range seed.Root(8) {
		rnd := root.Stream("bytes")
		sent := make([]byte, rnd.IntN(1<<20))
		for i := range sent {
			sent[i] = byte(rnd.Uint32())
		}
		conn := dial(t, p.Addr())
		go func() {
			for rest := sent; len(rest) > 0; {
				n := min(len(rest), 1+rnd.IntN(40<<10))
				if _, err := conn.Write(rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
			_ = conn.CloseWrite()
		}()
		if got, err := io.ReadAll(conn); err != nil || !bytes.Equal(sent, got) {
			t.Errorf("seed %d: sent %d bytes, got %d, equal %v, %v", root, len(sent), len(got), bytes.Equal(sent, got), err)
		}
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	r := newRig(t, proxy.Options{}, cutting(plan.C4, plan.FIN))
	var wg sync.WaitGroup
	for i := range int64(20) {
		c := newClient(t, true)
		wg.Go(func() {
			if _, err := call(c, r.Addr(), ref(i, 1+int(i)%2), "slow"); err == nil {
				t.Errorf("call %d survived", i)
			}
		})
	}
	waitUntil(t, "all handlers run", func() bool {
		n := 0
		for i := range int64(20) {
			n += r.up.count(ref(i, 1).Op())
		}
		return n == 20
	})
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Close(over); err != nil && !errors.Is(err, proxy.ErrLeft) {
		t.Errorf("Close without patience = %v, want ErrLeft", err)
	}
	r.end(t)
	close(r.up.gate)
	wg.Wait()
	if s := r.Stats(); s.Open != 0 {
		t.Errorf("stats: %+v", s)
	}
	if len(r.faults) != 10 || len(r.wires) != 20 {
		t.Errorf("%d faults and %d exchanges on record, want 10 and 20", len(r.faults), len(r.wires))
	}
}
