// Package summary tells what a run's metrics came to: as a text for a terminal, in
// the order in which k6 documents its own, and as the flat JSON of --summary-export.
//
// The text has one line for every metric, with the statistics of trends in columns,
// so that it can be read beside a verdict in 80 columns.
package summary
