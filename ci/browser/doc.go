// Package browser drives a headless Chromium, to see reports as their readers do. It
// speaks the DevTools protocol over a pair of pipes: no port is opened.
//
// A Browser and its Pages belong to one goroutine.
package browser
