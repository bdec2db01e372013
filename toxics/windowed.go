package toxics

import (
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// Windowed is the name in toxiproxy's registry of a toxic that acts only while the
// window of its rule is open. Its attributes are "hub", "rule", and as "toxic" those of
// the toxic itself.
func Windowed(toxic string) string { return "mcp_window_" + toxic }

func init() {
	register[Latency]("latency")
	register[Slicer]("slicer")
	register[Bandwidth]("bandwidth")
	register[SlowClose]("slow_close")
	register[Timeout]("timeout")
	register[ResetPeer]("reset_peer")
	register[LimitData]("limit_data")
	register[Split]("mcp_split")
}

func register[T any, P toxicOf[T]](toxic string) {
	toxics.Register(Windowed(toxic), new(windowed[T, P]))
}

// toxicOf is a pointer to the attributes of a toxic, which is a toxic.
type toxicOf[T any] interface {
	*T
	toxics.Toxic
}

// windowed is a toxic that acts while a gate is open and passes everything before and
// after, on connections that are open as on new ones. It is installed like any other
// before the first connection: toxiproxy cannot add or remove a toxic under traffic
// without a race, and not at all while a link is blocked.
type windowed[T any, P toxicOf[T]] struct {
	hubbed
	Rule  string `json:"rule"`
	Toxic T      `json:"toxic"`
}

// windowedState is what a windowed toxic knows of one connection.
type windowedState struct {
	conn  *Conn
	gate  *Gate
	inner any // the state of the toxic itself
}

// NewState implements toxiproxy's StatefulToxic.
func (w *windowed[T, P]) NewState() any {
	s := &windowedState{conn: starting(w.Hub)}
	if s.conn != nil {
		s.gate = s.conn.hub.gate(w.Rule)
	}
	if stateful, ok := any(&w.Toxic).(toxics.StatefulToxic); ok {
		s.inner = stateful.NewState()
	}
	return s
}

// GetBufferSize implements toxiproxy's BufferedToxic.
func (w *windowed[T, P]) GetBufferSize() int {
	if buffered, ok := any(&w.Toxic).(toxics.BufferedToxic); ok {
		return buffered.GetBufferSize()
	}
	return 0
}

// Pipe implements toxiproxy's Toxic.
func (w *windowed[T, P]) Pipe(stub *toxics.ToxicStub) {
	if s, ok := stub.State.(*windowedState); ok && s.gate != nil {
		if !passUntil(stub, s.gate.opened) {
			return
		}
		if !isClosed(s.gate.shut) {
			s.gate.acts(s.conn)
			if !actUntil(stub, s.gate.shut, P(&w.Toxic), s.inner) {
				return
			}
		}
	}
	new(toxics.NoopToxic).Pipe(stub)
}

// passUntil hands everything on until a channel is closed. It reports false when the
// stream has ended first, or the toxic was interrupted.
func passUntil(stub *toxics.ToxicStub, until <-chan struct{}) bool {
	for !isClosed(until) {
		select {
		case <-until:
		case <-stub.Interrupt:
			return false
		case chunk := <-stub.Input:
			if chunk == nil {
				stub.Close()
				return false
			}
			stub.Output <- chunk
		}
	}
	return true
}

// actUntil lets a toxic act until a channel is closed, in the stub's place. A toxic
// that is interrupted hands on what it has, and returns. It reports false when there is
// nothing more to be handed on.
func actUntil(stub *toxics.ToxicStub, until <-chan struct{}, toxic toxics.Toxic, state any) bool {
	inner := toxics.NewToxicStub(stub.Input, stub.Output)
	inner.State = state
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		toxic.Pipe(inner)
	}()
	interrupted := false
	select {
	case <-ended:
		return false
	case <-until:
	case <-stub.Interrupt:
		interrupted = true
	}
	select {
	case inner.Interrupt <- struct{}{}:
		<-ended
	case <-ended:
	}
	return !interrupted && !inner.Closed()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
