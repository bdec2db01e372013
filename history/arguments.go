package history

import (
	"fmt"
	"strings"
)

// Arguments are the words of the command that makes the run again: the script, the seed
// and what the command line put over the script. A fault plan and single tasks that were
// named there are not among them, and neither is the script's environment, which no
// history holds.
func (m *Manifest) Arguments() []string {
	words := []string{"mcpstorm", "run", m.Script.Path, "--seed", fmt.Sprint(m.Seed)}
	over := m.Overrides
	if over == nil {
		return words
	}
	for _, flag := range over.Flags {
		if strings.HasPrefix(flag, "--") { // and not a variable of the environment
			name, value, _ := strings.Cut(flag, " ")
			if words = append(words, name); value != "" {
				words = append(words, value)
			}
		}
	}
	add := func(flag string, values ...string) {
		for _, value := range values {
			if value != "" {
				words = append(words, flag, value)
			}
		}
	}
	add("--scenario", over.Scenarios...)
	add("--policy", over.Policies...)
	add("--era", over.Era)
	add("--reissue", over.Reissue)
	add("--bug", strings.Join(over.Bugs, ","))
	add("--turn-latency", over.Latency)
	return words
}
