package check

import (
	"mcpstorm/history"
)

// index joins the records of a run once, so that every invariant is linear in
// their number. It points into the run and owns none of it. It is complete when
// newIndex returns and is only read afterwards.
type index struct {
	run    *history.Run
	arms   map[string]*arm
	judged []*arm // the arms that set the verdict, in order of declaration
	// faults are the receipts of one operation, in the order of their file.
	faults map[opKey][]*history.Fault
	// strays counts records that name an arm which the manifest does not list.
	strays      int
	minInFlight float64
}

// opKey names an operation within a run: operation ids are unique in an arm.
type opKey struct{ arm, op string }

// arm is everything recorded in one arm. Of an arm that is not judged only the
// rollouts are kept.
type arm struct {
	*history.Arm
	judged        bool
	servers       map[string]*server
	serverOrder   []*server
	rollouts      []*history.Rollout
	conversations map[place]*conversation
	order         []*conversation    // in order of first appearance
	cuts          []*history.Fault   // delivered
	marked        []*history.Attempt // exchanges that the plan marks
}

// place is where a conversation happened. Rollout ids are unique in a run.
type place struct{ server, rollout string }

// server is what is known of one server in one arm.
type server struct {
	history.Server
	effects   int // records in its own log
	exchanges int // calls that the witness saw
	said      int // operations on it that were told ok
	// turnTools are the tools that take user turns; empty when it takes none.
	turnTools map[string]bool
}

// newIndex joins the records. Operations come first: they say which tool an
// identity means, so that what a client adds under the same key is left out.
func newIndex(run *history.Run) *index {
	ix := &index{run: run, arms: map[string]*arm{}, faults: map[opKey][]*history.Fault{}}
	for i := range run.Manifest.Arms {
		ix.addArm(&run.Manifest.Arms[i])
	}
	for i := range run.Rollouts {
		ix.addRollout(&run.Rollouts[i])
	}
	for i := range run.Ops {
		ix.addOp(&run.Ops[i])
	}
	for i := range run.Effects {
		ix.addEffect(&run.Effects[i])
	}
	for i := range run.Wire {
		ix.addWire(&run.Wire[i])
	}
	for i := range run.Attempts {
		ix.addAttempt(&run.Attempts[i])
	}
	for i := range run.Faults {
		ix.addFault(&run.Faults[i])
	}
	return ix
}

func (ix *index) addArm(record *history.Arm) {
	a := &arm{
		Arm:           record,
		judged:        record.Judge && !record.Control,
		servers:       map[string]*server{},
		conversations: map[place]*conversation{},
	}
	for _, s := range record.Servers {
		a.addServer(s)
	}
	ix.arms[record.Name] = a
	if a.judged {
		ix.judged = append(ix.judged, a)
	}
}

// find gives the arm of a record, or nil when the record is not for judging.
func (ix *index) find(name string) *arm {
	a, listed := ix.arms[name]
	if !listed {
		ix.strays++
		return nil
	}
	if !a.judged {
		return nil
	}
	return a
}

func (ix *index) addRollout(r *history.Rollout) {
	a, listed := ix.arms[r.Arm]
	if !listed {
		ix.strays++
		return
	}
	a.rollouts = append(a.rollouts, r)
}

func (ix *index) addOp(op *history.Op) {
	a := ix.find(op.Arm)
	if a == nil {
		return
	}
	s := a.server(op.Server)
	if op.Kind == history.KindTurn {
		s.turnTools[op.Tool] = true
	}
	if op.Key == "" {
		return
	}
	if op.Told == history.ToldOK {
		s.said++
	}
	a.conversation(op.Server, op.Rollout).identity(op.Key).addOp(op)
}

func (ix *index) addEffect(e *history.Effect) {
	a := ix.find(e.Arm)
	if a == nil {
		return
	}
	a.server(e.Server).effects++
	a.conversation(e.Server, e.Rollout).addEffect(e)
}

// addWire keeps tool calls; other exchanges execute nothing.
func (ix *index) addWire(w *history.Wire) {
	a := ix.find(w.Arm)
	if a == nil {
		return
	}
	call := w.Role == history.RoleCall || w.Role == "" && w.RPC == "tools/call"
	if !call || w.Key == "" {
		return
	}
	a.server(w.Server).exchanges++
	a.conversation(w.Server, w.Rollout).identity(w.Key).addWire(w)
}

func (ix *index) addAttempt(at *history.Attempt) {
	if a := ix.find(at.Arm); a != nil && at.Mark != nil {
		a.marked = append(a.marked, at)
	}
}

func (ix *index) addFault(f *history.Fault) {
	a := ix.find(f.Arm)
	if a == nil {
		return
	}
	if f.Op != "" {
		key := opKey{f.Arm, f.Op}
		ix.faults[key] = append(ix.faults[key], f)
	}
	if f.State == history.FaultDelivered {
		a.cuts = append(a.cuts, f)
	}
}

// server gives a server of the arm; one that the manifest does not list is known
// by its records alone.
func (a *arm) server(name string) *server {
	if s, ok := a.servers[name]; ok {
		return s
	}
	return a.addServer(history.Server{Name: name})
}

func (a *arm) addServer(record history.Server) *server {
	s := &server{Server: record, turnTools: map[string]bool{}}
	a.servers[record.Name] = s
	a.serverOrder = append(a.serverOrder, s)
	return s
}

func (a *arm) conversation(serverName, rollout string) *conversation {
	at := place{serverName, rollout}
	c, ok := a.conversations[at]
	if !ok {
		c = &conversation{place: at, arm: a, server: a.server(serverName), identities: map[string]*identity{}}
		a.conversations[at] = c
		a.order = append(a.order, c)
	}
	return c
}

// takesTurns reports whether user turns were asked of the server.
func (s *server) takesTurns() bool { return len(s.turnTools) > 0 }

// turnTool reports whether an effect of this tool may be that of a user turn.
// Either side may have left the tool out.
func (s *server) turnTool(tool string) bool {
	return tool == "" || s.turnTools[tool] || s.turnTools[""]
}

// silent reports whether the server is said to record its executions, was heard
// to answer, and recorded nothing at all. An empty log is then no evidence: its
// recorder failed.
func (s *server) silent() bool { return s.Effects && s.effects == 0 && s.said > 0 }

// trusted reports whether the server's own record says what was executed.
func (s *server) trusted() bool { return s.Effects && !s.silent() }
