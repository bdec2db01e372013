// Package html writes the report of a run as one HTML file that needs nothing else: no
// script, no font, no picture and no network. Its charts are in it, its styles are by
// hand, and a content security policy in its head lets nothing else in, so that a text
// that came over the wire stays a text whatever it holds.
//
// The package knows how a report looks, and nothing of runs: what is said comes in a
// Page. Write may be called from any goroutine.
package html
