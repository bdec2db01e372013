//go:build unix

package proxy_test

import (
	"io"
	"os"
	"sync"
	"syscall"
	"testing"

	"mcpstorm/toxics/proxy"
)

// TestFullDescriptorTable lowers the limit of open descriptors until accept
// fails, and raises it again.
func TestFullDescriptorTable(t *testing.T) {
	r := newRig(t, proxy.Options{})
	if _, err := call(newClient(t, false), r.Addr(), ref(1, 2), "json"); err != nil {
		t.Fatal(err) // the first call opens what stays open
	}
	waitUntil(t, "the first call's sockets are closed", func() bool { return r.Stats().Open == 0 })
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	low := before
	low.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	restore := sync.OnceFunc(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	})
	defer restore()
	var fill []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		defer f.Close()
		fill = append(fill, f)
	}
	if len(fill) == 0 {
		t.Fatal("no room below the lowered limit")
	}
	fill[0].Close() // room for the client's own socket, and no more
	conn := dial(t, r.Addr())
	waitUntil(t, "accept has failed", func() bool { return r.Stats().AcceptErrors > 0 })
	restore()
	if _, err := io.WriteString(conn, rawPost(ref(2, 2), body(ref(2, 2), "json"))); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the waiting connection is served", func() bool { return r.up.count("t000002/s02") == 1 })
}
