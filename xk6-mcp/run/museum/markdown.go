package museum

import (
	"fmt"
	"strings"
)

// The marks between which the README holds the table.
const (
	Begin = "<!-- museum: begin; mcpstorm museum --markdown writes what follows -->"
	End   = "<!-- museum: end -->"
)

// Markdown is the table of the exhibits: what does not change from run to run.
func Markdown(exhibits []Exhibit) string {
	var b strings.Builder
	b.WriteString(Begin + "\n| id | what it is | in | seen in | caught by |\n|---|---|---|---|---|\n")
	for _, e := range exhibits {
		carrier := "`" + e.Policy + "`"
		if e.Bug != "" {
			carrier = "a server"
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s | `%s`: %s |\n", e.ID, e.Script(), e.What, carrier, e.Seen, e.Invariant, e.Kind)
	}
	b.WriteString(End + "\n")
	return b.String()
}

// Current reports whether a text holds the table as Markdown writes it.
func Current(text string, exhibits []Exhibit) bool { return strings.Contains(text, Markdown(exhibits)) }
