// Package engine runs load test scripts that are written in k6's dialect. It
// is built on Sobek, the JavaScript engine that k6 uses, from k6's public
// documentation; it contains none of k6's code and does not claim to be k6.
//
// Load parses a script and everything it imports once. Run gives each virtual
// user (VU) a JavaScript runtime of its own, lets the runtimes share what was
// parsed, and drives them by the scenarios of the script's options. What a
// script can import is a fixed set of built-in modules and those that the
// caller hands to Load.
//
// What k6 knows and this package does not is refused by name before a run
// starts, and never ignored. Iteration exceptions are not logged: they are
// handed to Hooks.After and counted in Result.Errors, because a harness that
// breaks the network on purpose expects many of them.
package engine
