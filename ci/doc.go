// Package ci holds the tests of the whole: the walls between the packages and
// the command as its users type it.
package ci
