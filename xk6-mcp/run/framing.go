package run

import (
	"slices"
	"strings"

	"mcpstorm/internal/wire"
)

// checkFraming refuses a framing of event streams that there is not, or that the server
// has no streams for.
func (s ServerSpec) checkFraming(path string) error {
	switch f := s.Framing; {
	case f == wire.SSEFraming{}:
		return nil
	case !s.SSE && !s.Resumable:
		return stormError("%s: sseLines and sseLineEnd are of event streams, and the server answers with JSON: write sse: true beside them", path)
	case f.Lines < 0:
		return stormError("%s.sseLines is %d, want 0 or more", path, f.Lines)
	case f.LineEnd != "" && !slices.Contains(wire.LineEnds(), f.LineEnd):
		return stormError("%s.sseLineEnd is %q; known: %s", path, f.LineEnd, strings.Join(wire.LineEnds(), ", "))
	}
	return nil
}
