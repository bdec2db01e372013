package main

import (
	"github.com/spf13/pflag"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// bindKnown declares the flag that names a list of known failures.
func bindKnown(flags *pflag.FlagSet, file *string, otherwise string) {
	flags.StringVar(file, "known-failures", "", "a list of failures that do not fail the run; one that holds now does (default: "+otherwise+")")
}

// readKnown reads a list of known failures with which a stored run is judged.
func readKnown(path string, m *history.Manifest) ([]history.KnownFailure, error) {
	var arms []string
	for _, arm := range m.Arms {
		arms = append(arms, arm.Name)
	}
	return run.KnownFailures(path, m.Script.Path, arms)
}
