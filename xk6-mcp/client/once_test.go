package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/wire"
)

var errBroken = errors.New("broken")

// breaking is a connection that breaks under its second request: before a byte of it
// is written, or once all of it is.
type breaking struct {
	net.Conn
	written  bool // before it breaks
	requests *[]string
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(*b.requests) == 1 && !b.written {
		return 0, errBroken
	}
	*b.requests = append(*b.requests, string(p))
	if len(*b.requests) > 1 {
		b.Conn.Close() // the reading end sees it too
		return len(p), nil
	}
	return b.Conn.Write(p)
}

// TestNothingIsSentTwice: where a connection that was used before breaks ahead of the
// answer, net/http opens no other one, whatever the method and whether or not a byte
// was written.
func TestNothingIsSentTwice(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPost} {
		for name, written := range map[string]bool{"before a byte is written": false, "once all is written": true} {
			t.Run(method+" "+name, func(t *testing.T) {
				q := request{method: method, session: "s1", lastEvent: "e1"}
				if method == http.MethodPost {
					q.body = []byte(`{}`)
				}
				requests, dials, err := second(t, written, q)
				if err == nil || dials != 1 {
					t.Errorf("%d connections, %v: want one, and its error", dials, err)
				}
				if sent := len(requests) - 1; sent > 1 || sent == 1 != written {
					t.Errorf("sent %q", requests)
				}
			})
		}
	}
}

// TestABodyThatIsNone: a request without a body looks on the wire as it always did.
func TestABodyThatIsNone(t *testing.T) {
	requests, _, _ := second(t, true, request{method: http.MethodGet})
	lines := strings.Split(requests[1], "\r\n")
	var names []string
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	want := []string{"GET /r/t000001.1/mcp HTTP/1.1", "Host", "User-Agent", "Accept", "Mcp-Protocol-Version", "Mcpstorm-Op", "", ""}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the header, and nothing after it: -want +got\n%s", diff)
	}
}

// second makes a request on a connection that has served one before, and breaks now.
func second(t *testing.T, written bool, q request) (requests []string, dials int, err error) {
	t.Helper()
	c, err := New(Options{URL: "http://127.0.0.1:1/r/t000001.1/mcp", Task: "t000001", Restart: 1})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	c.tracer.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		dials++
		if dials > 1 {
			return nil, errBroken
		}
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		go func() {
			defer close(served)
			_, _ = theirs.Read(make([]byte, 4<<10))
			_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}()
		return &breaking{Conn: ours, written: written, requests: &requests}, nil
	}
	t.Cleanup(c.Abandon)
	first, err := c.tracer.transport.RoundTrip(c.newRequest(t.Context(), wire.OpRef{}, request{method: http.MethodGet}))
	if err != nil {
		t.Fatal(err)
	}
	first.Body.Close()
	<-served
	response, err := c.tracer.transport.RoundTrip(c.newRequest(t.Context(), wire.OpRef{}, q))
	if err == nil {
		response.Body.Close()
	}
	return requests, dials, err
}
