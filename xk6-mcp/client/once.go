package client

import (
	"io"
	"net/http"
	"strings"
)

// identityCoding is a transfer coding that changes nothing. It is shared, and never changed.
var identityCoding = []string{"identity"}

// onlyOnce makes a request one that net/http never sends again by itself. When a
// connection that was in use before breaks ahead of the answer's first byte,
// net/http sends a GET once more on another, and anything without a body of which no
// byte was written; it does neither with a body that it cannot get a second time.
// A request that has one has no GetBody any more. One that has none is given one
// that is empty, and a transfer coding with which net/http does not look for itself
// whether it is: the bytes on the wire stay what they were.
func onlyOnce(r *http.Request) {
	r.GetBody = nil
	if r.Body == nil || r.Body == http.NoBody {
		r.Body, r.TransferEncoding = io.NopCloser(strings.NewReader("")), identityCoding
	}
}
