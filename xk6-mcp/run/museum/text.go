package museum

import (
	"fmt"
	"io"
	"strings"
)

// Table writes what was shown, a row an exhibit, and a last line with the count.
func Table(w io.Writer, rows []Row) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-7s %-46s %-28s %s\n", "id", "what it is", "caught", "twin")
	caught, clean := 0, 0
	for _, r := range rows {
		ok, text := r.caught()
		fmt.Fprintf(&b, "%-7s %-46s %-28s %s\n", r.ID, r.What, text, r.twin())
		if ok {
			caught++
		}
		if r.twinClean() {
			clean++
		}
	}
	fmt.Fprintf(&b, "\n%d of %d caught, %d of %d twins clean\n", caught, len(rows), clean, len(rows))
	_, err := io.WriteString(w, b.String())
	return err
}

// caught says by which invariant and after how many rollouts, one number a seed.
func (r Row) caught() (ok bool, text string) {
	var after []string
	rollouts := 0
	for _, s := range r.Bug {
		if !s.Caught {
			return false, fmt.Sprintf("NOT CAUGHT with seed %d", s.Seed)
		}
		after, rollouts = append(after, fmt.Sprint(s.After)), s.Rollouts
	}
	return true, fmt.Sprintf("%s, %s/%d", r.Invariant, strings.Join(after, " "), rollouts)
}

func (r Row) twinClean() bool {
	for _, s := range r.Twin {
		if !s.Clean {
			return false
		}
	}
	return true
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
