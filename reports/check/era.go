package check

// statelessEra is the first version of MCP in which a disconnect is a cancel, there
// are no sessions, and an answer that was lost with its stream is lost for good.
// Versions are dates, and so are ordered as texts.
const statelessEra = "2026-07-28"

// stateless reports whether an exchange or a server of this era follows the rules of
// the stateless one. A record without an era is of the older.
func stateless(era string) bool { return era >= statelessEra }
