package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
)

// headline is what was found, in one sentence.
func (s *stored) headline() string {
	holding, broken, known := s.withStatus(history.Pass), s.withStatus(history.Fail), s.withStatus(history.Known)
	all := len(holding) + len(broken) + len(known)
	switch {
	case s.verdict.Status == history.Fail && len(broken) > 0:
		return fmt.Sprintf("%s %s: %s", ofAll(len(broken), all, "invariant"), agree(len(broken), "is broken", "are broken"), strings.Join(broken, ", "))
	case s.verdict.Status == history.Fail:
		return "A failure that was known holds now"
	case s.verdict.Status != history.Pass:
		return "This run proves nothing either way"
	case len(known) > 0:
		return fmt.Sprintf("%s %s, and %s %s as is known", ofAll(len(holding), all, "invariant"), agree(len(holding), "holds", "hold"), strings.Join(known, ", "), agree(len(known), "fails", "fail"))
	}
	if unfaulted(s.verdict, s.run) {
		return fmt.Sprintf("%s %s over %s, with no fault planned", ofAll(all, all, "invariant"), agree(all, "holds", "hold"), counted(s.tasks(), "rollout"))
	}
	return fmt.Sprintf("%s %s over %s and %s", ofAll(all, all, "invariant"), agree(all, "holds", "hold"),
		counted(s.tasks(), "rollout"), counted(s.verdict.Counts.Faults[history.FaultDelivered], "delivered fault"))
}

// withStatus are the invariants of a status, other than coverage.
func (s *stored) withStatus(status history.Status) (ids []string) {
	for _, inv := range s.verdict.Invariants {
		if inv.Status == status && inv.ID != coverageID {
			ids = append(ids, inv.ID)
		}
	}
	return ids
}

// reasons says why the verdict is what it is. A pass needs none beside its thresholds.
func (s *stored) reasons() (list []string) {
	v := s.verdict
	if v.Status == history.Fail {
		for _, inv := range v.Invariants {
			if inv.Status == history.Fail && inv.Proof != nil {
				list = append(list, sentence(inv.Proof.Text))
				break
			}
		}
	}
	if len(list) == 0 && v.Status != history.Pass {
		list = append(list, sentence(v.Reason))
	}
	if text := remedy(v); text != "" {
		list = append(list, sentence(capital(text)))
	}
	if v.Status == history.Fail && !s.covered() {
		list = append(list, "The run did not measure all that it claims, but a violation that was found is a violation.")
	}
	return append(list, s.thresholdReasons()...)
}

func (s *stored) covered() bool {
	return !slices.ContainsFunc(s.verdict.Invariants, func(inv history.Invariant) bool {
		return inv.ID == coverageID && inv.Status == history.Fail
	})
}

// thresholdReasons says which thresholds set another exit code than the verdict's.
func (s *stored) thresholdReasons() (list []string) {
	failed, empty := 0, 0
	all := s.thresholds()
	for _, t := range all {
		switch {
		case t.Status == history.Fail:
			failed++
		case t.Status == history.NotEvaluated && !t.Allowed:
			empty++
		}
	}
	if failed > 0 {
		list = append(list, fmt.Sprintf("%s failed.", ofAll(failed, len(all), "threshold")))
	}
	if empty > 0 {
		list = append(list, fmt.Sprintf("%s got no data.", ofAll(empty, len(all), "threshold")))
	}
	return list
}

// lead is what was done, for a reader who sees such a report for the first time.
func (s *stored) lead() string {
	arms := s.judged()
	if len(arms) == 0 {
		return ""
	}
	c := s.verdict.Counts
	what := "without any fault"
	if n := c.Faults[history.FaultDelivered]; n > 0 {
		what = fmt.Sprintf("while %s %s delivered on purpose", counted(n, "fault"), agree(n, "was", "were"))
	} else if c.Faults[history.FaultInstalled] > 0 {
		what = "over connections on which toxics were installed"
	}
	var against []string
	for _, server := range arms[0].Servers {
		text := server.Name
		if server.Reference != "" && server.Reference != server.Name {
			text += " (" + server.Reference + ")"
		}
		against = append(against, text)
	}
	text := fmt.Sprintf("%s drove %s against %s %s", s.run.Manifest.Script.Path, counted(s.tasks(), "rollout"), enumerate(against), what)
	if len(arms) > 1 {
		text += fmt.Sprintf(", in %d arms", len(arms))
	} else if policy := s.policy(arms[0]); policy != "" {
		text += ", with the client policy " + policy
	}
	if bugs := plantedBugs(arms); bugs != "" {
		text += ", and with a bug that was planted: " + bugs
	}
	recorded := !slices.ContainsFunc(arms[0].Servers, func(s history.Server) bool { return !s.Effects })
	if !recorded { // what arrived at it is not what it did
		return text + ". What callers were told was then compared with what was seen at the servers' end."
	}
	return text + ". What callers were told was then compared with what the servers executed."
}

// plantedBugs are those of some arms.
func plantedBugs(arms []history.Arm) string {
	var bugs []string
	for _, arm := range arms {
		for _, bug := range arm.Bugs {
			bugs = addOnce(bugs, bug)
		}
	}
	return strings.Join(bugs, ", ")
}

// policy is the one policy of an arm; empty where its servers differ.
func (s *stored) policy(arm history.Arm) string {
	for _, row := range s.verdict.Arms {
		if row.Arm == arm.Name && !strings.Contains(row.Policy, "=") {
			return row.Policy
		}
	}
	return ""
}

// tasks is how many rollouts the judged arms had.
func (s *stored) tasks() (n int) {
	for _, of := range s.verdict.Counts.Rollouts {
		n += of
	}
	return n
}

// when is when the run began and how long it took.
func (s *stored) when() string {
	m := &s.run.Manifest
	if m.Wall.IsZero() {
		return ""
	}
	var end history.Instant
	for _, arm := range m.Arms {
		end = max(end, arm.End)
	}
	text := m.Wall.UTC().Format("2 January 2006, 15:04 UTC")
	if end > 0 {
		text += ", " + durationText(time.Duration(end))
	}
	return text
}

// ofAll is a part of some things in words: "All 8 invariants", "1 of 2 thresholds".
func ofAll(n, all int, noun string) string {
	switch {
	case all == 1:
		return "The one " + noun
	case n == all && n == 2:
		return "Both " + noun + "s"
	case n == all:
		return "All " + counted(all, noun)
	}
	return thousands(n) + " of " + counted(all, noun)
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	return thousands(n) + " " + agree(n, noun, noun+"s")
}

func agree(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// enumerate joins words as prose does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// sentence is a text with a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
