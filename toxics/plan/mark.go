package plan

import (
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// Mark is what the plan alone says of an exchange that a client recorded, whether
// or not the fault layer was in the way: nil where it says nothing.
func (p *Plan) Mark(a history.Attempt) *history.Mark {
	if len(p.rules) == 0 {
		return nil
	}
	task, step, ok := strings.Cut(a.Op, "/")
	if !ok {
		return nil
	}
	ref := wire.OpRef{Task: task, Restart: 1, Step: step, Attempt: a.Attempt} // the restart plays no part
	d, ok := p.Decide(Exchange{Server: a.Server, Ref: ref, Role: a.Role, Tool: a.Tool})
	if !ok {
		return nil
	}
	return &history.Mark{Rule: d.Rule, Cut: d.Cut, Manner: d.Manner}
}
