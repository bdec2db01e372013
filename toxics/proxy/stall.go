package proxy

import (
	"fmt"
	"net"
	"sync"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// noneCame is why a stall of accepts was no fault to anybody.
const noneCame = "no connection came meanwhile"

// stall is the time, if it is now, in which no connection is taken.
type stall struct {
	mu   sync.Mutex
	now  *plan.Stall
	over chan struct{} // closed at its end
	met  int           // connections that came
}

// runStalls waits for one stall after another. Those whose time has not come when
// the proxy closes are put on record.
func (p *Proxy) runStalls(stalls []plan.Stall) {
	for _, s := range stalls {
		if p.opts.Clock.Sleep(p.ctx, s.At-p.hub.Elapsed()) != nil {
			p.hub.StallMet(s, 0, history.FaultUnarmed, fmt.Sprintf("the arm ended before %v", s.At))
			continue
		}
		p.stall.begin(s)
		_ = p.opts.Clock.Sleep(p.ctx, s.At+s.For-p.hub.Elapsed()) // whatever ends it
		switch met := p.stall.end(); {
		case met == 0:
			p.hub.StallMet(s, 0, history.FaultMissed, noneCame)
		case s.Manner == plan.Hold:
			p.hub.StallMet(s, 0, history.FaultDelivered, "")
		}
	}
}

func (s *stall) begin(now plan.Stall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.over, s.met = &now, make(chan struct{}), 0
}

func (s *stall) end() (met int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.over)
	s.now = nil
	return s.met
}

// meet counts a connection that came, if there is a stall.
func (s *stall) meet() (plan.Stall, <-chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return plan.Stall{}, nil, false
	}
	s.met++
	return *s.now, s.over, true
}

// admit lets a connection in, unless it came while none is taken: it is reset, or
// waits and keeps those behind it waiting.
func (p *Proxy) admit(id int64, client *net.TCPConn) bool {
	s, over, ok := p.stall.meet()
	if !ok {
		return true
	}
	if s.Manner == plan.RST {
		reset(client)
		p.hub.StallMet(s, id, history.FaultDelivered, "")
		return false
	}
	<-over // ends with the proxy too
	return true
}
