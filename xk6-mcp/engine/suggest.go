package engine

import "mcpstorm/internal/near"

// Suggestion is the end of a message about an unknown name, for the modules of
// others: "; did you mean …?" with the known name that it is most like, or nothing
// when it is like none.
func Suggestion(name string, known []string) string { return suggestion(name, known) }

// suggestion is the end of a message about an unknown name: the known one that
// it is most like, or nothing when it is like none.
func suggestion(name string, known []string) string { return near.Suggestion(name, known) }
