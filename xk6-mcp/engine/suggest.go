package engine

import "mcpstorm/internal/near"

// suggestion is the end of a message about an unknown name: the known one that
// it is most like, or nothing when it is like none.
func suggestion(name string, known []string) string { return near.Suggestion(name, known) }
