package chart

import (
	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// strike is one kind of fault in one place.
type strike struct {
	server string
	role   history.ExchangeRole
	cut    string // or the name of a toxic
	manner string // or toxicManner
}

// toxicManner stands for the manner of toxiproxy's own toxics, which have none.
const toxicManner = "toxic"

// hits says of every operation of an arm which faults struck it, each kind once. A
// burst knows only whose connection it cut: it struck what its rollout had under way
// on that server then. Faults that struck nothing, such as one on an idle connection,
// are counted in stray.
func hits(run *history.Run, arm *history.Arm) (byOp map[string][]strike, stray int) {
	byOp = map[string][]strike{}
	var nameless []*history.Fault
	toxics := map[connection][]string{}
	for i := range run.Faults {
		f := &run.Faults[i]
		switch {
		case f.Arm != arm.Name:
		case f.State == history.FaultInstalled:
			at := connection{f.Server, f.Conn}
			toxics[at] = append(toxics[at], f.Toxic)
		case f.State != history.FaultDelivered:
		case f.Op == "":
			nameless = append(nameless, f)
		default:
			addOnce(byOp, f.Op, strike{f.Server, f.Role, f.Cut, f.Manner})
		}
	}
	addToxics(byOp, run, arm, toxics)
	return byOp, addNameless(byOp, run, arm, nameless)
}

// connection is one that a proxy carried.
type connection struct {
	server string
	number int64
}

// addToxics adds the toxics of connections to the operations that the witness saw on
// them.
func addToxics(byOp map[string][]strike, run *history.Run, arm *history.Arm, toxics map[connection][]string) {
	if len(toxics) == 0 {
		return
	}
	for i := range run.Wire {
		w := &run.Wire[i]
		if w.Arm != arm.Name {
			continue
		}
		ref, err := wire.ParseOpRef(w.Hint)
		if err != nil {
			continue
		}
		for _, toxic := range toxics[connection{w.Server, w.Conn}] {
			addOnce(byOp, ref.Op(), strike{w.Server, w.Role, toxic, toxicManner})
		}
	}
}

// addNameless adds faults that name no operation to what their rollout had under way,
// and counts those for which there is nothing.
func addNameless(byOp map[string][]strike, run *history.Run, arm *history.Arm, faults []*history.Fault) (stray int) {
	if len(faults) == 0 {
		return 0
	}
	ops := map[string][]*history.Op{}
	for i := range run.Ops {
		if op := &run.Ops[i]; op.Arm == arm.Name {
			ops[op.Rollout] = append(ops[op.Rollout], op)
		}
	}
	for _, f := range faults {
		found := false
		for _, op := range ops[f.Rollout] {
			if op.Server == f.Server && op.Start <= f.At && f.At <= op.End {
				addOnce(byOp, op.Op, strike{f.Server, f.Role, f.Cut, f.Manner})
				found = true
			}
		}
		if !found {
			stray++
		}
	}
	return stray
}

func addOnce(byOp map[string][]strike, op string, s strike) {
	for _, known := range byOp[op] {
		if known == s {
			return
		}
	}
	byOp[op] = append(byOp[op], s)
}

// asked gives the last record of each operation of an arm, in order of the first:
// what the last rollout of its task was told. What the end of the run cut off is
// left out.
func asked(run *history.Run, arm *history.Arm) []*history.Op {
	var list []*history.Op
	place := map[string]int{}
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Arm != arm.Name || op.Interrupted {
			continue
		}
		at, known := place[op.Op]
		if !known {
			place[op.Op] = len(list)
			list = append(list, op)
			continue
		}
		list[at] = op
	}
	return list
}

// cutWords say what breaks at each cut.
var cutWords = map[string]string{
	"C0": "refused", "C1": "request withheld", "C2": "part of the request", "C3": "request given, cut",
	"C3w": "request kept back", "C4": "result withheld", "C5": "answer's head only", "C6": "part of the answer",
	"C7": "stream left open", "C8": "clean-up fails", "burst": "connections at once", "idle": "idle connection",
	"accept": "accepted late", "kill": "server killed",
}

// compareCuts sorts cuts as a reader counts them: C0, C1, …, then the rest by name.
func compareCuts(a, b string) int {
	rank := func(cut string) string {
		if len(cut) > 1 && cut[0] == 'C' && '0' <= cut[1] && cut[1] <= '9' {
			return "0" + cut
		}
		return "1" + cut
	}
	switch ra, rb := rank(a), rank(b); {
	case ra < rb:
		return -1
	case ra > rb:
		return 1
	}
	return 0
}
