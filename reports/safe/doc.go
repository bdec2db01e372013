// Package safe makes texts harmless that came over the wire or from a script, before
// anything is made of them that a person reads.
//
// Three things are done, whatever the text is shown in: credentials are taken out, what
// has no picture of its own (control characters, escape sequences, marks that turn the
// direction of writing) is written as Go would escape it, and a text of any length is
// cut to one that a page has room for. What a format itself takes for markup is the
// business of the package that writes that format.
//
// Every function is pure and may be called from any goroutine.
package safe
