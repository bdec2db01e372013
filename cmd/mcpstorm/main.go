// Command mcpstorm breaks the network under MCP servers and clients while
// simulated rollouts use them, and says from independent records whether every
// user turn was taken exactly once.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpstorm/internal/near"
	"mcpstorm/xk6-mcp/run"
)

func main() { os.Exit(execute(os.Args[1:])) }

// exit is how a verb says its exit code when there is nothing more to print.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// execute runs one command line and returns its exit code.
func execute(args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	var code exit
	var failed *run.Error
	switch {
	case err == nil:
		return run.ExitPass
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &failed):
		fmt.Fprintln(os.Stderr, "mcpstorm:", failed)
		return failed.Code
	}
	fmt.Fprintln(os.Stderr, "mcpstorm:", err)
	return run.ExitOptions
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "mcpstorm",
		Short:         "Break the network under MCP servers, and prove what happened",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.Version, _ = version()
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(suggestFlag)
	root.AddCommand(runCommand(), inspectCommand(), planCommand(), newCommand(), checkCommand(), explainCommand(), compareCommand(), capacityCommand(), reproduceCommand(), museumCommand(), reportCommand(), doctorCommand(), serveCommand(), versionCommand())
	return root
}

// suggestFlag adds to the error about an unknown flag the one that was meant.
func suggestFlag(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, "--"+flag.Name)
		}
	})
	return fmt.Errorf("%w%s", err, near.SuggestionAfter("--", "--"+name, known))
}

// needs says what a verb must be given.
func needs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return argumentsError(c, strings.Join(names, " and "), len(args))
		}
		return nil
	}
}

// argumentsError says what a verb needs and how many arguments it got in its place.
func argumentsError(c *cobra.Command, needs string, got int) error {
	plural := "s"
	if got == 1 {
		plural = ""
	}
	return fmt.Errorf("%s needs %s and got %d argument%s; see %s --help", c.CommandPath(), needs, got, plural, c.CommandPath())
}

// cannot is an error of a verb that could not do its work: exit 2.
func cannot(err error) error { return &run.Error{Code: run.ExitInconclusive, Err: err} }
