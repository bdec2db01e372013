// Package check judges a history: it evaluates invariants over the records of a
// run and gives a verdict with its proof. It reads records only, knows nothing
// of how they were made, and compares no times of two processes: order across
// recorders comes from ids, nonces and sequence numbers.
//
// Each invariant is one function over an index that is built once, in one file
// that bears its name. What a run claims to have measured is an invariant too,
// coverage, and is judged first. All of it is a pure function of the history and
// may be called from any goroutine; a history must not change meanwhile.
package check
