package refserver_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	refserver "mcpstorm/reference-servers"
)

// patient is a server whose handlers run until it is closed.
type patient struct {
	entered chan struct{}
	life    chan struct{}
	left    atomic.Int64
	err     error
}

func newPatient() *patient {
	return &patient{entered: make(chan struct{}, 8), life: make(chan struct{})}
}

func (p *patient) ServeHTTP(http.ResponseWriter, *http.Request) {
	p.entered <- struct{}{}
	<-p.life
	p.left.Add(1)
}

func (p *patient) Close(context.Context) error {
	close(p.life)
	return p.err
}

// wait waits for a handler to be entered.
func (p *patient) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.entered:
	case <-within(t, 10*time.Second).Done():
		t.Fatal("no request arrives")
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestServeRefusesAddresses(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:80", "[::]:0", "localhost:0", ":0", "127.0.0.1", ""} {
		t.Run(addr, func(t *testing.T) {
			l, err := refserver.Serve(t.Context(), addr, newPatient(), refserver.ServeOptions{})
			if !errors.Is(err, refserver.ErrNotLoopback) {
				t.Errorf("%v, %v", l, err)
			}
		})
	}
}

func TestCloseEndsConnectionsAndWaits(t *testing.T) {
	p := newPatient()
	l, err := refserver.Serve(t.Context(), "127.0.0.1:0", p, refserver.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	lost := make(chan error, 3)
	for range 3 {
		go func() {
			resp, err := client.Get(l.URL() + "/")
			if err == nil {
				resp.Body.Close()
			}
			lost <- err
		}()
	}
	for range 3 {
		p.wait(t)
	}
	if err := l.Close(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if n := p.left.Load(); n != 3 {
		t.Errorf("Close returned when %d of 3 handlers had ended", n)
	}
	for range 3 {
		if err := <-lost; err == nil {
			t.Error("a connection outlived Close")
		}
	}
	if err := l.Close(within(t, time.Second)); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestCloseTellsOfLostEffects(t *testing.T) {
	p := newPatient()
	p.err = errDisk
	l, err := refserver.Serve(t.Context(), "127.0.0.1:0", p, refserver.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(within(t, 10*time.Second)); !errors.Is(err, errDisk) {
			t.Errorf("got %v", err)
		}
	}
}

// stubborn does not end its handlers when it is closed.
type stubborn struct{ *patient }

func (stubborn) Close(context.Context) error { return nil }

func TestCloseIsBounded(t *testing.T) {
	p := newPatient()
	l, err := refserver.Serve(t.Context(), "127.0.0.1:0", stubborn{p}, refserver.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	go client.Get(l.URL() + "/")
	p.wait(t)
	if err := l.Close(within(t, 20*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	close(p.life)
	if err := l.Close(within(t, 10*time.Second)); err != nil {
		t.Error(err)
	}
}
