package check

import (
	"fmt"
	"time"

	"mcpstorm/history"
)

// healed asks that a heal phase was lived through, where the script has one: that
// something was asked after it had begun of every server that met a fault. Without that,
// whether all was well again is not known.
func healed(ix *index) history.Clause {
	const name = "heal"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if a.Heal == nil {
			return notEvaluated(name, "the plan has no heal phase")
		}
		h, skip := a.healing()
		if skip != "" {
			return clause(name, false, fmt.Sprintf("the heal phase begins after %s, and recovery cannot be judged: %s", a.Heal.At, skip))
		}
		asked := 0
		for _, s := range a.serverOrder {
			switch {
			case h.last[s.Name] != nil:
				asked++
			case a.hurt(s.Name):
				return clause(name, false, fmt.Sprintf("nothing was asked of %s after %s, when the faults had stopped, and so its recovery cannot be judged",
					s.Name, time.Duration(h.stopped-a.Start).Round(time.Millisecond)))
			}
		}
		return clause(name, true, fmt.Sprintf("%s %s asked after the faults had stopped", number(asked, "server"), verb(asked, "was", "were")))
	})
}

// hurt reports whether a fault was delivered on the server.
func (a *arm) hurt(server string) bool {
	for _, f := range a.cuts {
		if f.Server == server {
			return true
		}
	}
	return false
}
