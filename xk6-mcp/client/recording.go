package client

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// Recording is the transport of an MCP client that is not ours: an
// http.RoundTripper that counts and records each exchange as our own client
// does. Such a client may send from goroutines of its own, so exchanges wait for
// one another and their records for Flush.
type Recording struct {
	client *Client
	next   Recorder
	ctx    context.Context // ends when the transport is abandoned
	cancel context.CancelFunc

	mu      sync.Mutex // held for the whole of an exchange
	records []history.Attempt
}

// NewRecording makes a transport from the same options as a client.
func NewRecording(o Options) (*Recording, error) {
	r := &Recording{next: o.Recorder}
	o.Recorder = recorderFunc(func(a history.Attempt) { r.records = append(r.records, a) })
	var err error
	if r.client, err = New(o); err != nil {
		return nil, err
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

// recorderFunc is a function as a Recorder.
type recorderFunc func(history.Attempt)

// Attempt implements Recorder.
func (f recorderFunc) Attempt(a history.Attempt) { f(a) }

// attemptKey is where a context carries the attempt that its requests belong to.
type attemptKey struct{}

// Begin returns a context for one operation: whatever is sent under it, also in
// the background and later, belongs to that operation's step.
func (r *Recording) Begin(ctx context.Context, step string) context.Context {
	return context.WithValue(ctx, attemptKey{}, &attempt{ref: r.client.ref(step, 1)})
}

// Flush hands on the records of the exchanges that have ended. It is called on
// the goroutine that the Recorder expects.
func (r *Recording) Flush() {
	r.mu.Lock()
	records := r.records
	r.records = nil
	r.mu.Unlock()
	for _, a := range records {
		r.next.Attempt(a)
	}
}

// Redact takes every known secret out of a cause's text.
func (r *Recording) Redact(cause *history.Cause) *history.Cause { return r.client.redact(cause) }

// Abandon ends what is under way and drops the connection without a word to the
// server. Nothing can be sent afterwards.
func (r *Recording) Abandon() {
	r.cancel()
	r.client.Abandon()
}

// RoundTrip implements http.RoundTripper. It reads the whole answer before it
// returns, and hands on how the answer ended.
func (r *Recording) RoundTrip(q *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted, err := requestOf(q)
	if err != nil {
		return nil, err
	}
	at, ok := q.Context().Value(attemptKey{}).(*attempt)
	if !ok {
		at = &attempt{ref: r.client.ref("s00", 1)} // sent under no operation
	}
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	q = q.WithContext(ctx)
	q.Header.Set(wire.OpHeader, at.ref.String())
	onlyOnce(q)
	var response *http.Response
	r.client.record(ctx, at, wanted, func(ctx context.Context) reply {
		response, err = r.client.tracer.transport.RoundTrip(q.WithContext(ctx))
		if err != nil {
			return reply{err: err}
		}
		return r.take(response, wanted)
	})
	return response, err
}

// take reads the answer, and gives the response a body that reads and ends alike.
func (r *Recording) take(response *http.Response, q request) reply {
	defer response.Body.Close()
	data, err := readAll(response.Body)
	whole := *response
	whole.Body = io.NopCloser(bytes.NewReader(data))
	result := reply{status: response.StatusCode, session: response.Header.Get(sessionHeader), err: err}
	if err == nil {
		result.take(&whole, q.id)
	}
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data), endsWith{err}))
	return result
}

// endsWith is an empty reader that ends in an error, or at the end of the file.
type endsWith struct{ err error }

// Read implements io.Reader.
func (e endsWith) Read([]byte) (int, error) {
	if e.err == nil {
		return 0, io.EOF
	}
	return 0, e.err
}

// requestOf reads off an HTTP request what exchange it is. What is no message
// has no role.
func requestOf(q *http.Request) (request, error) {
	wanted := request{method: q.Method, session: q.Header.Get(sessionHeader)}
	rpc := ""
	if q.Body != nil {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return request{}, err
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		wanted.body = body
		if message, err := wire.ParseMessage(body); err == nil {
			rpc, wanted.id, wanted.tool = message.Method, message.ID, toolOf(message.Method, message.Params)
		}
	}
	wanted.role = history.ExchangeRole(wire.MethodRole(q.Method, rpc))
	return wanted, nil
}
