// Package near finds the known name that a misspelt one was meant to be.
package near

import (
	"fmt"
	"slices"
	"strings"
)

// Suggestion is the end of a message about an unknown name: the known one that
// it is most like, or nothing when it is like none.
func Suggestion(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// SuggestionAfter is Suggestion for names that all begin with a prefix, which makes
// none of them more alike. Its case does not count.
func SuggestionAfter(prefix, name string, known []string) string {
	rest := make([]string, len(known))
	for i, k := range known {
		rest[i] = cut(k, prefix)
	}
	best := Nearest(cut(name, prefix), rest)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", known[slices.Index(rest, best)])
}

// cut is a text without a prefix in any case.
func cut(text, prefix string) string {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):]
	}
	return text
}

// Nearest returns the known name that takes the fewest edits, if these are at
// most a third of it and leave a letter as it was, or nothing. Case counts as no edit,
// and a forgotten end as one.
func Nearest(name string, known []string) string {
	best, fewest := "", 0
	lower := strings.ToLower(name)
	for _, candidate := range known {
		edits := distance(lower, strings.ToLower(candidate))
		if len(name) > 2 && strings.HasPrefix(strings.ToLower(candidate), lower) {
			edits = min(edits, 1)
		}
		if limit := max(1, (len(candidate)+1)/3); edits <= limit && edits < len(candidate) && (best == "" || edits < fewest) {
			best, fewest = candidate, edits
		}
	}
	return best
}

// distance is how many letters must be added, dropped, changed or swapped with
// their neighbour to make one text of the other.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
