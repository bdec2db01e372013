package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// Recording is the transport of an MCP client that is not ours: an
// http.RoundTripper that counts and records each exchange as our own client
// does. It belongs to one client that runs one operation at a time; what that
// client sends in the background waits for its turn.
type Recording struct {
	client *Client

	mu      sync.Mutex // held for the whole of an exchange
	attempt attempt
}

// NewRecording makes a transport from the same options as a client.
func NewRecording(o Options) (*Recording, error) {
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Recording{client: c}, nil
}

// Begin says which step the exchanges that follow belong to.
func (r *Recording) Begin(step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempt = attempt{ref: r.client.ref(step, 1)}
}

// Abandon drops the connection without a word to the server.
func (r *Recording) Abandon() { r.client.Abandon() }

// RoundTrip implements http.RoundTripper. It reads the whole answer before it
// returns, and hands on how the answer ended.
func (r *Recording) RoundTrip(q *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted, err := requestOf(q)
	if err != nil {
		return nil, err
	}
	q.Header.Set(wire.OpHeader, r.attempt.ref.String())
	q.GetBody = nil
	var response *http.Response
	r.client.record(q.Context(), &r.attempt, wanted, func(context.Context) reply {
		response, err = r.client.tracer.transport.RoundTrip(q)
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
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	whole := *response
	whole.Body = io.NopCloser(bytes.NewReader(data))
	result := reply{status: response.StatusCode, session: response.Header.Get(sessionHeader), err: err}
	if err == nil {
		result.message, result.err = readAnswer(&whole, q.id)
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

// requestOf reads off an HTTP request what exchange it is.
func requestOf(q *http.Request) (request, error) {
	wanted := request{method: q.Method, session: q.Header.Get(sessionHeader)}
	var message wire.Message
	if q.Body != nil {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return request{}, err
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		wanted.body = body
		_ = json.Unmarshal(body, &message) // what is no message has no role
	}
	wanted.role = history.ExchangeRole(wire.MethodRole(q.Method, message.Method))
	if len(message.ID) > 0 {
		wanted.id = message.ID
	}
	return wanted, nil
}
