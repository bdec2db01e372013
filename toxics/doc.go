// Package toxics is what breaks, and what witnesses. Its toxics stand on
// toxiproxy's registry and come in two pairs, each of which shares one state a
// connection: the cut pair delivers a planned fault to the one exchange that was
// marked, and the tap pair records what was really handed to the server and what
// came back. Neither knows who the client is.
//
// A request can only be cut while it is held back, and two kinds cannot be held:
// one that waits for leave to send its body (Expect), and one over MaxRequest.
// They pass unharmed. If the beginning of their body says what they are, and the
// plan marks that, the mark is recorded as missed.
//
// What a fault does to an exchange is a cut, which says where it breaks, and a
// manner, which says how. Some cannot occur on a given exchange: a stream cannot be
// left open whose length was told (C7), and a connection cannot be refused that is
// open (C0). Their marks are recorded as missed, with the reason. C0 is not met here
// at all but where the client dials, which asks Hub.Refuse first. An answer by a
// front end, and a late request or answer, leave the connection as it was, and the
// next exchange on it can be cut like any other.
//
// A connection is not an exchange. One that is idle for a time can be closed, or
// forgotten until its next request, and both are recorded when they have come about
// and not before.
//
// The witness reads a request over MaxRequest by its beginning too. Its record is
// complete in all that was counted, and says what was asked as far as the
// beginning told: with the role call and no key it is a call of any operation of
// its rollout, and with no JSON-RPC method either, where Up is over MaxRequest, it
// may have been any message. Who reads it must not conclude, of any operation of
// that rollout and server, that it was not handed over. An answer over MaxAnswer
// is a whole answer of which nothing is known: it is recorded as
// history.ResultOther, and is no sign of an execution, nor of the lack of one. A
// count of executions that is taken as an interval, from results seen to calls
// handed over, stays true if such calls widen it.
//
// A chain of toxics sees one direction, no socket and no connection, and is made
// from JSON by reflection. What a toxic needs beyond that it reaches through a
// Hub, which it finds by the id in its attributes, and what the cut pair needs of
// the sockets through Legs.
package toxics

import (
	"context"
	"errors"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// Decider says what is planned. It is called from the goroutines of many
// connections and must answer at once.
type Decider interface {
	// Decide says whether an exchange is marked, and how.
	Decide(plan.Exchange) (plan.Decision, bool)
	// Window is when the marks of a rule are armed.
	Window(rule string) plan.Window
	// Bursts are those planned for a server, in the order in which they come.
	Bursts(server string) []plan.Burst
	// Idles are what becomes of the connections of a server when they are idle, and
	// Stalls when it takes none, in the order in which they come.
	Idles(server string) []plan.Idle
	Stalls(server string) []plan.Stall
}

// ReceiptSink takes the record of what became of each fault. It is called from
// the goroutines of many connections; it may block, which delays only the
// connection of the fault.
type ReceiptSink interface {
	Receipt(history.Fault)
}

// Tap takes the record of each exchange at the server's end. It is called from
// the goroutines of many connections; it may block, which delays only the
// connection of the exchange. What a record says of a request or an answer that
// was too large to read stands in the package comment.
type Tap interface {
	Exchange(history.Wire)
}

// Legs are the two sockets of a proxied connection, as the cut pair uses them.
// All methods may be called from any goroutine.
type Legs interface {
	// Cut breaks the connection at once, in one of the manners fin, rst and hold
	// of package plan. When the connection was over before, it does nothing and
	// says why: the error is ErrClientLeft or ErrOver.
	Cut(manner string, how plan.Detail) error
	// Over is the error that Cut would return for a connection that is over, or
	// nil.
	Over() error
	// Wait waits for a time, and reports false when the connection was over first.
	Wait(d time.Duration) bool
	// Linger waits for a time, or until both sockets are closed for good, or ctx ends.
	Linger(ctx context.Context, d time.Duration)
	// Closed is closed when both sockets are closed for good.
	Closed() <-chan struct{}
	// Give writes to the client past the toxics. It must be called only when
	// nothing else is on its way there.
	Give(answer []byte)
	// AwaitUp waits until n bytes in all have left for the server, and AwaitDown
	// until n have left for the client. They report false when they never will.
	AwaitUp(n int64) bool
	AwaitDown(n int64) bool
	// Up and Down are how many bytes the kernel has taken for each side.
	Up() int64
	Down() int64
	// After is what came from the server after Conn.Leave, without when and in which
	// manner that was.
	After() history.Left
}

// Why a cut could not be made.
var (
	ErrClientLeft = errors.New("toxics: the client left first")
	ErrOver       = errors.New("toxics: the connection was over first")
)

// The limits of what is held in memory for one exchange, in bytes. Beyond them
// bytes pass unharmed, and a fault that was marked is recorded as missed.
const (
	MaxRequest = 1 << 20
	MaxAnswer  = 8 << 20
)
