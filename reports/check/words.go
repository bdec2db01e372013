package check

import (
	"fmt"
	"strings"
	"time"

	"mcpstorm/history"
)

// enumerate joins words as prose does: "a", "a and b", "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// verb picks the form that agrees with a number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// number is a count with its noun: "1 rollout", "3 rollouts".
func number(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, verb(n, noun, noun+"s"))
}

// times is how often something happened: "once", "3 times".
func times(n int) string {
	return verb(n, "once", fmt.Sprintf("%d times", n))
}

// short is the beginning of a nonce or digest, enough to tell it from others.
func short(id string) string {
	const enough = 8
	if len(id) <= enough {
		return id
	}
	return id[:enough] + "…"
}

// elapsed is a span between two instants of one process, to a readable precision.
func elapsed(from, to history.Instant) string {
	d := time.Duration(to - from)
	switch {
	case d >= time.Second || d <= -time.Second:
		return d.Round(time.Millisecond).String()
	case d >= time.Millisecond || d <= -time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// few lists at most three of the ids and says how many more there are.
func few(ids []string) string {
	const most = 3
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
