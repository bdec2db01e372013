package toxics

import (
	"encoding/json"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// passage is one exchange as it passes the taps.
type passage struct {
	record history.Wire

	// Of the upstream half.
	stateless bool // by its own word it is of an era in which a disconnect is a cancel
	head      *wire.Head
	body      gather
	start     int64 // where the request stands in the upstream bytes
	end       int64 // and where it ends, so far; guarded by the tapper's mutex
	whole     bool  // the request is whole; guarded likewise, and so is id
	id        json.RawMessage

	// Of the downstream half.
	answer answer
	down   int64           // answer bytes seen
	ended  history.Instant // when the answer was whole; zero before
}

// tapper is what the two halves of the tap pair share on one connection.
type tapper struct {
	hub  *Hub
	conn int64
	legs Legs
	up   *tapUp
	down *tapDown

	mu    sync.Mutex
	open  []*passage // not wholly answered, oldest first
	late  []*passage // answered after the client had left, and not on record yet
	lost  bool       // the connection cannot be followed any more
	left  bool       // the server has been told that the client is gone
	alone *passage   // the only exchange that was open then; nil where there were more, or none
}

func newTapper(hub *Hub, conn int64, legs Legs) *tapper {
	t := &tapper{hub: hub, conn: conn, legs: legs}
	t.up = &tapUp{tapper: t, framer: wire.NewRequestFramer(wire.Limits{})}
	t.down = &tapDown{tapper: t, framer: wire.NewResponseFramer(wire.Limits{})}
	return t
}

// emit records an exchange as far as it has come, which ended at some time.
func (t *tapper) emit(p *passage, at history.Instant) {
	t.mu.Lock()
	w, end, whole := p.record, p.end, p.whole
	t.mu.Unlock()
	written := t.legs.Up()
	w.Handed = whole && written >= end
	w.Up = max(min(written, end)-p.start, 0)
	w.Down = p.down
	w.Status = p.answer.status
	w.Result = p.answer.result()
	w.End = at
	if w.Left != nil {
		w.Left = t.aftermath(p, *w.Left)
	}
	t.hub.witness(w)
}

// lose says that the connection cannot be followed any more. What is open is
// recorded when the connection ends.
func (t *tapper) lose() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.lost {
		t.lost = true
		t.hub.untracked.Add(1)
	}
}

// finish records what is still open when the connection has ended. An exchange that its
// client left ended with that, unless its answer has come whole all the same.
func (t *tapper) finish() {
	t.mu.Lock()
	rest := append(t.late, t.open...)
	t.late, t.open = nil, nil
	t.mu.Unlock()
	for _, p := range rest {
		switch {
		case p.answer.whole:
			t.emit(p, p.ended)
		case p.record.Left != nil:
			t.emit(p, p.record.Left.At)
		default:
			t.emit(p, t.hub.now())
		}
	}
}
