package process_test

import (
	"context"
	"net"
	"os/exec"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/process"
)

// Each thing more is counted once, and no longer when it is gone.
func TestCounts(t *testing.T) {
	before := process.Counts()
	if runtime.GOOS != "linux" {
		if _, counted := before[process.Sockets]; counted {
			t.Errorf("%v", before)
		}
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	for range 16 { // more than an earlier test can have left that are just ending
		go func() { <-release }()
	}
	during := process.Counts()
	for _, name := range []string{process.Sockets, process.Children, process.Goroutines} {
		if during[name] <= before[name] {
			t.Errorf("%s: %d, then %d", name, before[name], during[name])
		}
	}
	close(release)
	listener.Close()
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	after := process.Quiet(t.Context(), clock.System{}, before, process.Counts)
	for _, name := range []string{process.Sockets, process.Children} {
		if after[name] != before[name] {
			t.Errorf("%s: %d, and %d in the end", name, before[name], after[name])
		}
	}
}

// The wait ends as soon as all is quiet, after its bound, and with its context.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := int64(5)
		falling := func() map[string]int64 {
			n--
			return map[string]int64{"things": n}
		}
		start := time.Now()
		if got := process.Quiet(t.Context(), clock.System{}, map[string]int64{"things": 2}, falling); got["things"] != 2 || time.Since(start) != 20*time.Millisecond {
			t.Errorf("%v after %v", got, time.Since(start))
		}
		start = time.Now()
		never := func() map[string]int64 { return map[string]int64{"things": 9} }
		if got := process.Quiet(t.Context(), clock.System{}, nil, never); got["things"] != 9 || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", got, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start = time.Now()
		if process.Quiet(ctx, clock.System{}, nil, never); time.Since(start) != 0 {
			t.Errorf("it took %v", time.Since(start))
		}
	})
}
