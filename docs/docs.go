// Package docs holds what is published for the readers of a run's files.
package docs

import _ "embed"

// SummarySchema is the JSON Schema of summary.json, in the draft of 2020-12.
//
//go:embed summary.schema.json
var SummarySchema []byte
