package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print what was built",
		Args:  cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			number, revision := version()
			if revision != "" {
				number += " (" + revision + ")"
			}
			fmt.Println("mcpstorm", number, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
		},
	}
}

// version is the module's version and the commit that was built, as far as the
// build recorded them.
func version() (number, revision string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)", ""
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value[:min(len(setting.Value), 12)] + revision
		case setting.Key == "vcs.modified" && setting.Value == "true":
			revision += "+changes"
		}
	}
	return info.Main.Version, revision
}
