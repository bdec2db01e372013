package museum

import (
	"fmt"
	"strings"

	"mcpstorm/history"
)

// Story is a proof in plain words: what was asked, what the server did, what was told,
// and why that is wrong.
type Story struct {
	Op    string   `json:"op"`
	Asked string   `json:"asked"`
	Did   []string `json:"did"`
	Told  string   `json:"told"`
	Found string   `json:"found"` // the checker's own sentence
	Wrong string   `json:"wrong"`
	// Events are the records that prove it, as mcpstorm explain tells them.
	Events []string `json:"events,omitempty"`
}

// tell makes the story of the operation by which an invariant is proved to be
// violated, over every rollout of its task.
func tell(e Exhibit, h *history.Run, inv *history.Invariant) *Story {
	proof := inv.Proof
	s := &Story{Op: proof.Op, Found: proof.Text, Wrong: e.Why, Events: proof.Events}
	var first *history.Op
	var heard []string
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Op != proof.Op || first != nil && op.Arm != first.Arm {
			continue
		}
		if first == nil {
			first = op
		}
		heard = append(heard, told(op))
	}
	if first == nil {
		return s
	}
	s.Asked, s.Did, s.Told = asked(first), did(h, first), strings.Join(heard, ", then ")
	return s
}

func asked(op *history.Op) string {
	switch op.Kind {
	case history.KindTurn:
		return fmt.Sprintf("the user turn %s of %s, once", op.Key, op.Server)
	case history.KindTool:
		return fmt.Sprintf("one call of the tool %s of %s", op.Tool, op.Server)
	case history.KindClose:
		return "the end of a session with " + op.Server
	}
	return fmt.Sprintf("%s, of %s", op.Kind, op.Server)
}

// did is what the server did for the operation, by its own record.
func did(h *history.Run, op *history.Op) (steps []string) {
	name := "it"
	for i := range h.Effects {
		e := &h.Effects[i]
		if e.Arm != op.Arm || e.Server != op.Server || history.TaskOfRollout(e.Rollout) != history.TaskOfRollout(op.Rollout) || base(e.Key) != op.Key || e.Tool != op.Tool {
			continue
		}
		switch {
		case e.Kind == history.EffectBegin:
			steps = append(steps, "began "+name)
		case e.Kind == history.EffectCommit && op.Kind == history.KindTurn:
			steps = append(steps, fmt.Sprintf("took turn %d", e.Sequence))
		case e.Kind == history.EffectCommit:
			steps = append(steps, "carried it out")
		case e.Kind == history.EffectAnswer && e.Replayed:
			steps = append(steps, "answered from its record")
		case e.Kind == history.EffectAnswer:
			steps = append(steps, "answered")
		case e.Kind == history.EffectAbort:
			steps = append(steps, "gave it up ("+e.Reason+")")
		case e.Kind == history.EffectRefuse:
			steps = append(steps, "refused it ("+e.Reason+")")
		}
	}
	if steps == nil {
		steps = []string{"nothing that is on its record"}
	}
	return steps
}

// base is a key without the generation of an operation that was voided.
func base(key string) string {
	if strings.HasPrefix(key, "arg:") {
		key, _, _ = strings.Cut(key, "#")
	}
	return key
}

func told(op *history.Op) string {
	words := map[history.Told]string{
		history.ToldOK: "the result", history.ToldToolError: "an error of the tool", history.ToldNotExecuted: "that nothing was carried out",
		history.ToldUnknown: "that it may or may not have been carried out", history.ToldNone: "nothing at all",
	}
	text := words[op.Told]
	if op.Attempts > 1 {
		text += fmt.Sprintf(", after %d attempts", op.Attempts)
	}
	if op.Cause != nil {
		text += " (" + op.Cause.Text + ")"
	}
	return text
}
