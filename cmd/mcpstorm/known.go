package main

import "github.com/spf13/pflag"

// bindKnown declares the flag that names a list of known failures.
func bindKnown(flags *pflag.FlagSet, file *string, otherwise string) {
	flags.StringVar(file, "known-failures", "", "a list of failures that do not fail the run; one that holds now does (default: "+otherwise+")")
}
