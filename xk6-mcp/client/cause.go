package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// The classes of a cause, as history.Cause.Class has them.
const (
	classDial      = "dial"
	classNoByte    = "no_byte_written"
	classReset     = "reset"
	classEOF       = "eof"
	classTruncated = "truncated"
	classDeadline  = "deadline"
	classCancelled = "cancelled"
	classStatus    = "http_status"
	classRPC       = "rpc_error"
	classBadAnswer = "bad_answer"
	classToolError = "tool_error"
	classHostLimit = "host_limit"
	classOwnLimit  = "own_limit"
	classOther     = "other"
	// classUnsupported is an answer that asks for what the client does not give.
	classUnsupported = "unsupported"
)

// transportCause names what a failed exchange looked like from here. The URL is
// left out of the text, for it may carry a secret.
func transportCause(err error, trace string) *history.Cause {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	return &history.Cause{Class: transportClass(err, trace), Text: err.Error()}
}

func transportClass(err error, trace string) string {
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.ENOBUFS):
		return classHostLimit
	case errors.Is(err, errTooLarge), errors.Is(err, wire.ErrEventTooLong):
		return classOwnLimit
	case errors.Is(err, context.Canceled):
		return classCancelled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return classDeadline
	case trace == traceDialFailed:
		return classDial
	case trace == traceNoByte:
		return classNoByte
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return classReset
	case errors.Is(err, io.ErrUnexpectedEOF):
		return classTruncated
	case errors.Is(err, io.EOF):
		return classEOF
	}
	return classOther
}

// statusCause is the cause of an answer whose status is none of success. Its body
// may be a JSON-RPC error, as it always is in the stateless era.
func statusCause(r *reply) *history.Cause {
	cause := &history.Cause{
		Class:  classStatus,
		Text:   fmt.Sprintf("HTTP %d %s", r.status, http.StatusText(r.status)),
		Status: r.status,
	}
	if r.message != nil && r.message.Error != nil {
		cause.Code = r.message.Error.Code
		cause.Text += fmt.Sprintf(": JSON-RPC %d: %s", cause.Code, r.message.Error.Message)
	}
	return cause
}

func badAnswer(status int, format string, args ...any) *history.Cause {
	return &history.Cause{Class: classBadAnswer, Text: fmt.Sprintf(format, args...), Status: status}
}

// broken reports whether a connection broke, or never came about.
func broken(c *history.Cause) bool {
	if c == nil {
		return false
	}
	switch c.Class {
	case classDial, classNoByte, classReset, classEOF, classTruncated, classDeadline:
		return true
	}
	return false
}

// transient reports whether another attempt could fare better: the connection
// failed, the answer was unreadable, the session was lost, or a front end was
// busy. An answered error and any other refusal would come again.
func (p Policy) transient(c *history.Cause) bool {
	if c == nil {
		return false
	}
	switch c.Class {
	case classRPC, classCancelled, classUnsupported:
		return false
	case classBadAnswer:
		return !p.Narrow
	case classStatus:
		lost := c.Status == http.StatusNotFound && !p.Narrow
		return lost || c.Status == http.StatusRequestTimeout || c.Status == http.StatusTooManyRequests || c.Status >= 500
	}
	return true
}

// refusedStatus is the closed list of HTTP statuses that mean that the request
// was not accepted. 404 is one only where a session id was sent, which in the
// 2025-11-25 era says that the session is gone (basic/transports, Session
// Management).
func refusedStatus(status int, withSession bool) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusMisdirectedRequest:
		return true
	case http.StatusNotFound:
		return withSession
	}
	return false
}

// refusedCode is the closed list of JSON-RPC codes that mean that the request
// was not accepted: parse error, invalid request, method not found; and in the
// stateless era header mismatch, missing capability and unsupported version.
func refusedCode(code int, era string) bool {
	switch code {
	case -32700, -32600, -32601:
		return true
	case -32020, -32021, -32022:
		return era == wire.EraStateless
	}
	return false
}

// refusedError reports whether an answer is a JSON-RPC error that refuses.
func (c *Client) refusedError(m *wire.Message) bool {
	return m != nil && m.Error != nil && refusedCode(m.Error.Code, c.options.Era)
}
