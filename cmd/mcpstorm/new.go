package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpstorm/internal/near"
)

// templates are the scripts that a user can begin with. Each runs as it is.
//
//go:embed templates/*.js
var templates embed.FS

// templateNames are in the order in which they are best read.
var templateNames = []string{"user-turns", "mutations", "server", "capacity"}

func newCommand() *cobra.Command {
	var template string
	c := &cobra.Command{
		Use:   "new [FILE]",
		Short: "Write a commented script to begin with (script.js)",
		Example: `  mcpstorm new
  mcpstorm new storm.js --template mutations`,
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().StringVar(&template, "template", templateNames[0], "what it is about: "+strings.Join(templateNames, ", "))
	c.RunE = func(_ *cobra.Command, args []string) error {
		path := "script.js"
		if len(args) > 0 {
			path = args[0]
		}
		if !slices.Contains(templateNames, template) {
			return fmt.Errorf("--template %s: want %s%s", template, strings.Join(templateNames, ", "), near.Suggestion(template, templateNames))
		}
		if err := writeNew(path, template); err != nil {
			return err
		}
		fmt.Printf("wrote %s; run it: mcpstorm run %s\n", path, path)
		return nil
	}
	return c
}

// writeNew writes a template to a file that must not be there yet.
func writeNew(path, template string) error {
	text, err := templates.ReadFile("templates/" + template + ".js")
	if err != nil {
		return cannot(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is left as it is: name another file", path)
	}
	if err != nil {
		return cannot(err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return cannot(err)
	}
	return nil
}
