package museum

import (
	"fmt"
	"io"
	"strings"
)

// Table writes what was shown, a row an exhibit, and a last line with the count.
func Table(w io.Writer, rows []Row) error {
	what, by := 0, 0
	for _, r := range rows {
		what, by = max(what, len(r.What)), max(by, len(r.by()))
	}
	var b strings.Builder
	line := func(id, text, caught, twin string) {
		fmt.Fprintf(&b, "%-7s %-*s  %-*s  %s\n", id, what, text, by, caught, twin)
	}
	line("id", "what it is", "caught, after how many rollouts", "twin")
	caught, clean := 0, 0
	for _, r := range rows {
		line(r.ID, r.What, r.by(), r.twin())
		if r.Caught() {
			caught++
		}
		if r.Clean() {
			clean++
		}
	}
	fmt.Fprintf(&b, "\n%d of %d caught, %d of %d twins clean\n", caught, len(rows), clean, len(rows))
	_, err := io.WriteString(w, b.String())
	return err
}

// by says by which invariant it was caught and after how many rollouts, one number a
// seed.
func (r Row) by() string {
	var after []string
	rollouts := 0
	for _, s := range r.Bug {
		if !s.Caught {
			return fmt.Sprintf("NOT CAUGHT with seed %d", s.Seed)
		}
		after, rollouts = append(after, fmt.Sprint(s.After)), s.Rollouts
	}
	return fmt.Sprintf("%s, %s of %d", r.Invariant, strings.Join(after, " "), rollouts)
}

func (r Row) twin() string {
	for _, s := range r.Twin {
		if !s.Clean {
			return fmt.Sprintf("NOT CLEAN with seed %d: %s", s.Seed, s.Verdict)
		}
	}
	return "clean"
}

// Proof writes the story of one exhibit as it was first caught.
func Proof(w io.Writer, r Row) error {
	var b strings.Builder
	for _, s := range r.Bug {
		if s.Story == nil {
			continue
		}
		t := s.Story
		fmt.Fprintf(&b, "%s  %s (%s)\n", r.ID, r.What, r.Carrier())
		fmt.Fprintf(&b, "  asked  %s: %s\n  did    %s\n  told   %s\n  found  %s\n  wrong  %s\n",
			t.Op, t.Asked, strings.Join(t.Did, ", then "), t.Told, t.Found, t.Wrong)
		fmt.Fprintf(&b, "  again  mcpstorm run %s %s --seed %d\n\n", r.Script(), r.Carrier(), s.Seed)
		break
	}
	_, err := io.WriteString(w, b.String())
	return err
}
