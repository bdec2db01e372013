package reports

import (
	"strings"

	"mcpstorm/history"
)

// repeat is the command that makes a run again, and what has to be known about it.
func repeat(m *history.Manifest) (command string, notes []string) {
	words := m.Arguments()
	if over := m.Overrides; over != nil {
		if len(over.Only) > 0 {
			words = append(words, "--only", strings.Join(over.Only, ","))
		}
		if len(over.Faults) > 0 {
			words = append(words, "--faults", "faults.json")
			notes = append(notes, "faults.json is overrides.faults of the run's manifest.json.")
		}
	}
	notes = append(notes, "One seed gives one fault plan, and not one interleaving: real sockets decide who comes first.")
	return commandLine(words), notes
}
