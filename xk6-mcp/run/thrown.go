package run

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// thrownKinds is how many different errors of a script are told.
const thrownKinds = 32

// thrown counts the errors that a script threw by itself, equal ones together. An
// McpError is none of them: it is what the run is about.
type thrown struct {
	kinds []thrownKind // in the order in which they came first
}

// thrownKind is one error, and how often each arm met it, in the order in which the
// arms ran.
type thrownKind struct {
	text  string
	arms  []string
	times []int
}

// add counts one error.
func (t *thrown) add(arm string, cause *history.RolloutCause) {
	text := "an error without a cause"
	if cause != nil {
		text, _, _ = strings.Cut(cause.Text, "\n")
		if cause.At != "" {
			text = cause.At + ": " + text
		}
	}
	i := slices.IndexFunc(t.kinds, func(k thrownKind) bool { return k.text == text })
	if i < 0 {
		if len(t.kinds) == thrownKinds {
			return
		}
		i, t.kinds = len(t.kinds), append(t.kinds, thrownKind{text: text})
	}
	t.kinds[i].count(arm)
}

func (k *thrownKind) count(arm string) {
	if n := len(k.arms); n == 0 || k.arms[n-1] != arm {
		k.arms, k.times = append(k.arms, arm), append(k.times, 0)
	}
	k.times[len(k.times)-1]++
}

// lines say each error once, with its count.
func (t *thrown) lines() (lines []string) {
	for _, k := range t.kinds {
		sum := 0
		var parts []string
		for i, n := range k.times {
			sum += n
			parts = append(parts, fmt.Sprintf("%d in arm %s", n, k.arms[i]))
		}
		line := fmt.Sprintf("%d × %s", sum, k.text)
		if len(parts) > 1 {
			line += " (" + strings.Join(parts, ", ") + ")"
		}
		lines = append(lines, line)
	}
	return lines
}
