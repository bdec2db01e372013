package compare

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/near"
)

// Ground is a reason why two runs cannot be compared, by a name under which it can be
// put aside.
type Ground struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Grounds are the names of every ground.
var Grounds = []string{"state", "verdict", "script", "seed", "arms", "era", "plan", "load"}

// checkGrounds looks up the grounds that are to be put aside.
func checkGrounds(names []string) error {
	for _, name := range names {
		if !slices.Contains(Grounds, name) {
			return fmt.Errorf("%w %q%s (known: %s)", ErrGround, name, near.Suggestion(name, Grounds), strings.Join(Grounds, ", "))
		}
	}
	return nil
}

// apart lists why two runs are not of the same thing.
func apart(base, head *Measured) (list []Ground) {
	add := func(name, format string, args ...any) {
		list = append(list, Ground{name, fmt.Sprintf(format, args...)})
	}
	for _, m := range []*Measured{base, head} {
		if m.State != history.StateFinished {
			add("state", "run %s was not finished: it is %s", m.Run, m.State)
		}
		if m.Status == history.Inconclusive {
			add("verdict", "run %s is inconclusive: %s", m.Run, m.Reason)
		}
	}
	if base.Digest != head.Digest {
		add("script", "the scripts differ: %s and %s", base.Script, head.Script)
	}
	if base.Seed != head.Seed {
		add("seed", "the seeds differ, and so do the exchanges that are cut: %d and %d", base.Seed, head.Seed)
	}
	for _, a := range base.Arms {
		if head.arm(a.Name) == nil {
			add("arms", "arm %s is judged in run %s alone, and none of its rates can be compared", a.Name, base.Run)
		}
	}
	names := pairs(base, head)
	if len(base.Arms) == 0 {
		add("arms", "run %s judges no arm", base.Run)
	}
	for _, name := range names {
		b, h := base.arm(name), head.arm(name)
		if !slices.Equal(b.Eras, h.Eras) {
			add("era", "arm %s speaks %s and %s", name, strings.Join(b.Eras, ", "), strings.Join(h.Eras, ", "))
		}
		if b.Plan != h.Plan {
			add("plan", "the fault plans of arm %s differ", name)
		}
		if b.Load != h.Load {
			add("load", "the load of arm %s differs: %s, and %s", name, b.Load, h.Load)
		}
	}
	return list
}

// pairs are the names of the arms that both runs judge.
func pairs(base, head *Measured) (names []string) {
	for _, a := range base.Arms {
		if head.arm(a.Name) != nil {
			names = append(names, a.Name)
		}
	}
	return names
}

// changed says what is not the same and may be the reason for a change: what was to be
// compared, as a rule.
func changed(base, head *Measured) (list []string) {
	add := func(what, a, b string) {
		if a != b {
			list = append(list, fmt.Sprintf("%s: %s → %s", what, orNone(a), orNone(b)))
		}
	}
	for _, name := range pairs(base, head) {
		b, h := base.arm(name), head.arm(name)
		add("policy of "+name, b.Policy, h.Policy)
		add("planted bugs of "+name, strings.Join(b.Bugs, ", "), strings.Join(h.Bugs, ", "))
		add("servers of "+name, strings.Join(b.Servers, ", "), strings.Join(h.Servers, ", "))
	}
	add("version", strings.TrimSpace(base.Version+" "+base.Revision), strings.TrimSpace(head.Version+" "+head.Revision))
	add("host", base.Host.text(), head.Host.text())
	for _, a := range head.Arms {
		if base.arm(a.Name) == nil {
			list = append(list, fmt.Sprintf("arm %s is judged in run %s alone, and none of its rates is compared", a.Name, head.Run))
		}
	}
	return append(list, append(alone(base, head), alone(head, base)...)...)
}

// alone names the rates of one run that the other has not measured in the same arm.
func alone(one, other *Measured) (list []string) {
	for _, name := range pairs(one, other) {
		a, b := one.arm(name), other.arm(name)
		for _, r := range a.Rates {
			if b.rate(r.Name) == nil {
				list = append(list, fmt.Sprintf("%s of %s was measured in run %s alone, and is not compared", r.Name, name, one.Run))
			}
		}
	}
	return list
}

func (h Host) text() string { return fmt.Sprintf("%s, %d CPUs", h.OS, h.CPUs) }

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
