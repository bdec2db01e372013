package community

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
)

// checkURL refuses an address that is no http URL of this machine. It returns the
// address without what it may hold in secret.
func checkURL(raw string) (shown string, err error) {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", fmt.Errorf("base_url is %q, want http://HOST:PORT/PATH", raw)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("base_url names the host %s: %w", u.Hostname(), errRemote)
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), nil
}

// newHTTPClient makes an HTTP client with connections of its own, all of which
// are closed when life ends. It dials nothing but this machine, wherever a name
// or a redirect leads.
func newHTTPClient(life context.Context) *http.Client {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return fmt.Errorf("%s: %w", address, errRemote)
		}
		return nil
	}}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return tie(life, conn), nil
		},
	}}
}

// tiedConn is a connection that closes when a context ends.
type tiedConn struct {
	net.Conn
	untie func() bool
}

func tie(life context.Context, conn net.Conn) net.Conn {
	return &tiedConn{conn, context.AfterFunc(life, func() { _ = conn.Close() })} // its user sees that it is closed
}

// Close implements net.Conn.
func (c *tiedConn) Close() error {
	c.untie()
	return c.Conn.Close()
}
