// Package refserver is what every reference server shares: how one is
// described, opened, served on loopback, and how it records what it really
// executed.
//
// A reference server is right by default. Each thing known to go wrong in real
// servers can be planted in it by name, so that the harness can prove that it
// notices. The servers live in the folders next to this file, one package each;
// package all lists them. None of them knows a fault, a client or a verdict.
package refserver
