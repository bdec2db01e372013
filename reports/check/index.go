package check

import (
	"strings"

	"mcpstorm/history"
)

// index joins the records of a run once, so that every invariant is linear in
// their number. It points into the run and owns none of it. It is complete when
// newIndex returns and is only read afterwards.
type index struct {
	run      *history.Run
	arms     map[string]*arm
	declared []*arm // all arms, in order of declaration
	judged   []*arm // those that set the verdict
	// strays counts records that name an arm which the manifest does not list.
	strays      int
	minInFlight float64
	// asked are the invariants that the run is judged by.
	asked []invariant
	room  rooms
	// numbers numbers the rollouts that have a record or an operation.
	numbers numbering
	// tallies keeps what rates over operations are counted from; nil keeps nothing.
	tallies *tallies
}

// rooms are where the parts of the index are made.
type rooms struct {
	operations    slab[operation]
	conversations slab[conversation]
	identities    slab[identity]
	deeds         slab[deed]
	ops           lists[*history.Op]
	exchanges     lists[*history.Attempt]
	effects       lists[*history.Effect]
	known         lists[*identity]
	wanted        lists[*operation]
	done          lists[*deed]
}

// arm is everything recorded in one arm.
type arm struct {
	*history.Arm
	index         *index
	judged        bool
	servers       map[string]*server
	serverOrder   []*server
	rollouts      []*history.Rollout
	ops           []*history.Op
	operations    map[string]*operation // by id
	opOrder       []*operation          // in order of first appearance
	conversations map[place]*conversation
	order         []*conversation // in order of first appearance
	faults        []*history.Fault
	cuts          []*history.Fault   // those delivered
	kills         bool               // one of them ended a server's process
	tasks         int                // that have a rollout
	ends          []ending           // of its tasks
	marked        []*history.Attempt // exchanges that the plan marks
	hostLimited   []*history.Attempt // exchanges that our own machine stopped
	// unnamed are the exchanges that died under a burst which could not tell whose
	// connection it cut, each with that burst.
	unnamed   map[*history.Attempt]*history.Fault
	cancelled map[*identity][]*history.Left // see addCancelled
	// cutShort says that the run did not come to its end, so that what was under way
	// in it stayed so.
	cutShort bool
}

// place is where a conversation happened. Rollout ids are unique in a run.
type place struct{ server, rollout string }

// server is what is known of one server in one arm.
type server struct {
	history.Server
	effects   int  // records in its own log
	exchanges int  // calls that the witness saw
	said      int  // operations on it that were told ok
	used      bool // the client made an exchange with it
	gapped    bool // its own log misses effects
	toxic     bool // a toxic of toxiproxy's own acts on every connection to it
	// blind says that the witness saw a call which it could not place in any
	// conversation, or that one address serves all of them.
	blind bool
	// turnTools are the tools that take user turns; empty when it takes none.
	turnTools map[string]bool
}

// newIndex joins the records. Operations come first: they say which tool an
// identity means, so that what a client adds under the same key is left out.
func newIndex(run *history.Run) *index {
	ix := &index{run: run, arms: map[string]*arm{}, numbers: make(numbering, len(run.Rollouts))}
	sizes := sizesOf(run)
	for i := range run.Manifest.Arms {
		record := &run.Manifest.Arms[i]
		ix.addArm(record, sizes[record.Name])
	}
	for i := range run.Plan {
		ix.addRule(&run.Plan[i])
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
	for _, a := range ix.declared {
		a.noteGaps(run.Gaps)
		a.attachBursts()
		a.matchUnnamed()
		a.complete()
	}
	return ix
}

// size is how many records of two kinds an arm has, so that what is made of them gets
// its room at once: growing it step by step takes as much again.
type size struct{ rollouts, ops int }

func sizesOf(run *history.Run) map[string]size {
	sizes := map[string]size{}
	for i := range run.Rollouts {
		s := sizes[run.Rollouts[i].Arm]
		s.rollouts++
		sizes[run.Rollouts[i].Arm] = s
	}
	for i := range run.Ops {
		s := sizes[run.Ops[i].Arm]
		s.ops++
		sizes[run.Ops[i].Arm] = s
	}
	return sizes
}

func (ix *index) addArm(record *history.Arm, n size) {
	a := &arm{
		Arm:           record,
		index:         ix,
		judged:        record.Judge && !record.Control,
		cutShort:      ix.run.Manifest.State != history.StateFinished,
		servers:       map[string]*server{},
		rollouts:      make([]*history.Rollout, 0, n.rollouts),
		ops:           make([]*history.Op, 0, n.ops),
		operations:    make(map[string]*operation, n.ops),
		opOrder:       make([]*operation, 0, n.ops),
		conversations: make(map[place]*conversation, n.rollouts),
		order:         make([]*conversation, 0, n.rollouts),
		cancelled:     map[*identity][]*history.Left{},
	}
	for _, s := range record.Servers {
		a.addServer(s)
	}
	ix.arms[record.Name] = a
	ix.declared = append(ix.declared, a)
	if a.judged {
		ix.judged = append(ix.judged, a)
	}
}

// noteGaps marks the servers whose own log is not whole. A gap does not tell its
// arm, so it counts in every arm that has the server.
func (a *arm) noteGaps(gaps []history.Gap) {
	for _, g := range gaps {
		if s, known := a.servers[g.Server]; known {
			s.gapped = true
		}
	}
}

// complete derives what needs every record of the arm.
func (a *arm) complete() {
	for _, o := range a.opOrder {
		o.order()
	}
	a.joinDeeds()
	a.countReissues()
	last := a.lastRollouts()
	a.tasks, a.ends = len(last), a.endings(last)
}

// only is the same history as it would be judged if this arm alone set the
// verdict.
func (ix *index) only(a *arm) *index {
	view := *ix
	view.judged, view.tallies = []*arm{a}, nil
	return &view
}

// find gives the arm of a record, or nil when the manifest does not list it.
func (ix *index) find(name string) *arm {
	a, listed := ix.arms[name]
	if !listed {
		ix.strays++
		return nil
	}
	return a
}

func (ix *index) addRule(r *history.PlanRule) {
	if a := ix.find(r.Arm); a != nil && r.Toxic != "" {
		a.server(r.On).toxic = true
	}
}

func (ix *index) addRollout(r *history.Rollout) {
	if a := ix.find(r.Arm); a != nil {
		a.rollouts = append(a.rollouts, r)
		ix.numbers.add(r.Rollout)
	}
}

func (ix *index) addOp(op *history.Op) {
	a := ix.find(op.Arm)
	if a == nil {
		return
	}
	a.ops = append(a.ops, op)
	ix.numbers.add(op.Rollout)
	o := a.operation(op.Op)
	o.runs = ix.room.ops.add(o.runs, op, 1)
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
	id := a.conversation(op.Server, op.Rollout).identity(op.Key)
	id.ops = ix.room.ops.add(id.ops, op, 1)
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
	if w.Key == "" {
		if mayBeCall(w) {
			a.addUnplaced(w)
		}
		return
	}
	if w.Role != history.RoleCall && (w.Role != "" || w.RPC != "tools/call") {
		return
	}
	a.server(w.Server).exchanges++
	c := a.conversation(w.Server, w.Rollout)
	id := c.identity(w.Key)
	id.addWire(w)
	c.addCancelled(id, w)
}

// mayBeCall reports whether a request that the witness could not make out may
// have been a tool call.
func mayBeCall(w *history.Wire) bool {
	return w.Role == history.RoleCall || w.RPC == "tools/call" || w.Role == "" && w.RPC == "" && w.Method == "POST"
}

// addUnplaced notes a call that was handed to the server and that no key names: in
// its conversation any operation may have been executed by it.
func (a *arm) addUnplaced(w *history.Wire) {
	if !w.Handed {
		return
	}
	if w.Rollout == "" {
		a.server(w.Server).blind = true
		return
	}
	a.conversation(w.Server, w.Rollout).blind = true
}

func (ix *index) addAttempt(at *history.Attempt) {
	a := ix.find(at.Arm)
	if a == nil {
		return
	}
	a.server(at.Server).used = true
	o := a.operation(at.Op)
	o.exchanges = ix.room.exchanges.add(o.exchanges, at, 4)
	if at.Mark != nil {
		a.marked = append(a.marked, at)
	}
	if at.Cause != nil && at.Cause.Class == hostLimit {
		a.hostLimited = append(a.hostLimited, at)
	}
}

func (ix *index) addFault(f *history.Fault) {
	a := ix.find(f.Arm)
	if a == nil {
		return
	}
	a.faults = append(a.faults, f)
	if f.Op != "" {
		o := a.operation(f.Op)
		o.faults = append(o.faults, f)
	}
	if f.State == history.FaultDelivered {
		a.cuts = append(a.cuts, f)
		a.kills = a.kills || f.Cut == cutKill
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
	s := &server{Server: record, turnTools: map[string]bool{}, blind: shared(record)}
	a.servers[record.Name] = s
	a.serverOrder = append(a.serverOrder, s)
	return s
}

// shared reports whether one URL serves all rollouts: the exchanges of one then
// cannot be told from another's.
func shared(s history.Server) bool {
	return s.Reference == "" && s.URL != "" && !strings.Contains(s.URL, "{rollout}")
}

func (a *arm) conversation(serverName, rollout string) *conversation {
	at := place{serverName, rollout}
	c, ok := a.conversations[at]
	if !ok {
		c = a.index.room.conversations.make()
		c.place, c.arm, c.server = at, a, a.server(serverName)
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
func (s *server) trusted() bool { return s.Effects && !s.silent() && !s.gapped }

// witnessed reports whether only the witness tells what was executed on the server.
func (s *server) witnessed() bool { return !s.Effects && s.exchanges > 0 }
