package run

import (
	"mcpstorm/internal/wire"
)

// checkFraming refuses a framing of event streams that there is not, or that the server
// has no streams for.
func (s ServerSpec) checkFraming(path string) error {
	switch {
	case s.Framing == wire.SSEFraming{}:
		return nil
	case !s.SSE && !s.Resumable:
		return stormError("%s: sseLines and sseLineEnd are of event streams, and the server answers with JSON: write sse: true beside them", path)
	}
	if err := s.Framing.Check(); err != nil {
		return stormError("%s.%w", path, err)
	}
	return nil
}
