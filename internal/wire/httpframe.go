package wire

import (
	"errors"
	"fmt"
)

// ErrFrame says that bytes cannot be followed as HTTP/1.1: they are malformed,
// over a limit, or no longer HTTP (after an upgrade).
var ErrFrame = errors.New("wire: not to be followed as HTTP/1.1")

// The default limits of a Framer, in bytes. They are those of common servers,
// with room to spare.
const (
	DefaultHeadLimit = 64 << 10 // a start line with its header, or a trailer
	DefaultLineLimit = 4 << 10  // a chunk-size line
)

// FrameKind says what a Framer has recognised.
type FrameKind uint8

// The kinds of frame.
const (
	// FrameNone says that every byte was used and nothing is complete yet.
	FrameNone FrameKind = iota
	// FrameHead is a complete head. After an informational one (1xx) comes
	// another head of the same message, and no FrameEnd in between.
	FrameHead
	// FrameBody is a piece of the body with its transfer coding removed.
	FrameBody
	// FrameEnd is the end of the message. The next byte starts another one.
	FrameEnd
	// FrameLost says that the framer gave up. From then on it uses every byte
	// and recognises nothing.
	FrameLost
)

// Frame is one thing that a Framer recognised.
type Frame struct {
	Kind FrameKind
	Head *Head  // of a FrameHead
	Body []byte // of a FrameBody; it aliases the bytes that were fed
	Err  error  // of a FrameLost; it wraps ErrFrame
}

// Limits bound the memory of a Framer, in bytes; zero means the default. Bodies
// are not buffered and have no limit.
type Limits struct {
	Head int // default DefaultHeadLimit
	Line int // default DefaultLineLimit
}

// Framer finds the messages in one direction of an HTTP/1.1 connection (RFC
// 9112), fed in pieces of any size: what it recognises does not depend on where
// the pieces end. It belongs to one stream and is not safe for concurrent use.
type Framer struct {
	limits   Limits
	response bool
	method   string // of the request that the next response answers
	state    frameState
	buf      []byte // the head or line under way
	line     int    // where the current line starts in buf
	left     int64  // bytes left of a sized body or of a chunk
}

// frameState is what the next byte belongs to.
type frameState uint8

const (
	inHead frameState = iota
	inSized
	inChunkSize
	inChunk
	inChunkEnd
	inTrailer
	inUnsized // a body that ends with the stream
	atEnd     // FrameEnd is due
	isLost
)

// NewRequestFramer frames what a client sends.
func NewRequestFramer(limits Limits) *Framer { return newFramer(limits, false) }

// NewResponseFramer frames what a server sends.
func NewResponseFramer(limits Limits) *Framer { return newFramer(limits, true) }

func newFramer(limits Limits, response bool) *Framer {
	if limits.Head <= 0 {
		limits.Head = DefaultHeadLimit
	}
	if limits.Line <= 0 {
		limits.Line = DefaultLineLimit
	}
	return &Framer{limits: limits, response: response}
}

// Expect names the HTTP method that the response under way, or the next one,
// answers. It is needed because the answer to HEAD has no body and the one to
// CONNECT ends HTTP.
func (f *Framer) Expect(method string) { f.method = method }

// Next reads on in p. It uses n bytes and reports at most one frame, which may
// come without a byte used; call it with the rest of p until it reports
// FrameNone, and n is then len(p).
func (f *Framer) Next(p []byte) (n int, frame Frame) {
	for {
		used, frame := f.step(p[n:])
		n += used
		if frame.Kind != FrameNone || n == len(p) && f.state != atEnd {
			return n, frame
		}
	}
}

// EOF says that the stream has ended. The frame is FrameEnd when that completes
// a message whose body has no other end, FrameLost when it cuts a message off,
// and FrameNone between messages or when the framer was lost before.
func (f *Framer) EOF() Frame {
	switch {
	case f.state == isLost, f.state == inHead && len(f.buf) == 0:
		return Frame{}
	case f.state == inUnsized, f.state == atEnd:
		f.reset()
		return Frame{Kind: FrameEnd}
	}
	return f.lose("the stream ended within a message")
}

// step uses some of p. It makes progress, or p is empty, or a frame is due.
func (f *Framer) step(p []byte) (int, Frame) {
	switch f.state {
	case inHead:
		return f.stepHead(p)
	case inSized, inChunk:
		return f.stepSized(p)
	case inChunkSize, inChunkEnd, inTrailer:
		return f.stepLine(p)
	case inUnsized:
		if len(p) == 0 {
			return 0, Frame{}
		}
		return len(p), Frame{Kind: FrameBody, Body: p}
	case atEnd:
		f.reset()
		return 0, Frame{Kind: FrameEnd}
	}
	return len(p), Frame{}
}

// reset makes ready for the next message.
func (f *Framer) reset() {
	f.state, f.method = inHead, ""
	f.clear()
}

// clear drops the buffered head or line.
func (f *Framer) clear() {
	f.buf, f.line = f.buf[:0], 0
}

// lose gives up on the stream.
func (f *Framer) lose(format string, args ...any) Frame {
	f.state, f.buf = isLost, nil
	return Frame{Kind: FrameLost, Err: fmt.Errorf("%w: %s", ErrFrame, fmt.Sprintf(format, args...))}
}

// stepSized takes bytes of a body, or of a chunk, whose length is known.
func (f *Framer) stepSized(p []byte) (int, Frame) {
	n := int(min(int64(len(p)), f.left))
	if n == 0 {
		return 0, Frame{}
	}
	f.left -= int64(n)
	if f.left == 0 {
		if f.state == inChunk {
			f.state = inChunkEnd
		} else {
			f.state = atEnd
		}
	}
	return n, Frame{Kind: FrameBody, Body: p[:n]}
}
