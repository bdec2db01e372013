package wire

// The eras of MCP: the protocol versions whose wire differs in what a retry
// means. They are dates, and so are ordered as texts.
const (
	// EraSessions has initialize and sessions, resumes a broken stream by its last
	// event id, and takes a disconnect for no cancel.
	EraSessions = "2025-11-25"
	// EraStateless has neither: every request stands alone, says who sent it in its
	// _meta, and is cancelled by a disconnect.
	EraStateless = "2026-07-28"
)

// Eras lists the eras, the oldest first. The list belongs to the caller.
func Eras() []string { return []string{EraSessions, EraStateless} }
