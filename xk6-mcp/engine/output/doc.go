// Package output carries the samples of a run to where a user wants them: a file
// of NDJSON or CSV in the formats that k6 documents, or a Prometheus endpoint.
//
// An output is fed by one goroutine, the one that aggregates the run's samples,
// so it must be quick: what an output spends on a sample, every virtual user waits
// for.
package output
