// Package history is the record of a run: the only thing that crosses from
// running to judging. A history is a directory of NDJSON files, one event a
// line, and a manifest that says how it was made.
//
// The running side writes it through Writer and EffectLog; the judging side
// reads it through Open. Neither side knows the other. The package knows the
// shapes of the records and how to keep them safe on disk, and nothing of what
// they mean: judging lives in reports/check.
package history

// Schema is the version of every record shape in this package. It stands in
// the manifest; a reader refuses a history of another version.
const Schema = 1

// Instant is a moment as nanoseconds since the monotonic base of the process
// that recorded it. Instants of two processes must never be compared.
type Instant int64
