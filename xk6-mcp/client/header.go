package client

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
)

// ErrHeader says that a header field cannot be sent with every request.
var ErrHeader = errors.New("bad header")

// ownHeaders are the request headers that the client itself sets, and those that
// would make net/http send a request a second time by itself.
var ownHeaders = []string{
	"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Last-Event-Id", "Mcp-Method",
	"Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcpstorm-Op", "Transfer-Encoding", "X-Idempotency-Key",
}

// What a header can hold (RFC 9110, section 5.5 and 5.6.2).
var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = regexp.MustCompile(`^[\t\x20-\x7e\x80-\x{10ffff}]*$`)
)

// HeaderOf is the header that is sent with every request, from its fields by name.
// Its error wraps ErrHeader: for what is no header, for one that is the client's own
// to set, and for one that is given twice in different letters. No value is ever part
// of it, for it may be a secret.
func HeaderOf(fields map[string]string) (http.Header, error) {
	header := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		canonical, value := http.CanonicalHeaderKey(name), fields[name]
		switch {
		case !headerName.MatchString(name):
			return nil, fmt.Errorf("%w: %q is no name of a header", ErrHeader, name)
		case slices.Contains(ownHeaders, canonical):
			return nil, fmt.Errorf("%w: %s is the client's own to set", ErrHeader, canonical)
		case header[canonical] != nil:
			return nil, fmt.Errorf("%w: %s is given twice", ErrHeader, canonical)
		case !headerValue.MatchString(value):
			return nil, fmt.Errorf("%w: the value of %s holds what no header can", ErrHeader, canonical)
		}
		header[canonical] = []string{value}
	}
	return header, nil
}
