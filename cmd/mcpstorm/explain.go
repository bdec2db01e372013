package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/reports/safe"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain DIR TASK",
		Short: "Tell everything about one task in plain words",
		Example: `  mcpstorm explain runs/latest t000017
  mcpstorm explain runs/latest 17
  mcpstorm explain runs/latest t000017.2
  mcpstorm explain runs/latest t000017/s03`,
		Args: needs("DIR", "TASK"),
		RunE: func(_ *cobra.Command, args []string) error {
			task, err := taskOf(args[1])
			if err != nil {
				return err
			}
			stored, err := open(args[0])
			if errors.Is(err, history.ErrTorn) && stored != nil {
				fmt.Fprintln(os.Stderr, "mcpstorm:", err)
			} else if err != nil {
				return cannot(err)
			}
			timeline, err := check.Explain(stored, task)
			if err != nil {
				return cannot(errors.New("explain: " + strings.TrimPrefix(err.Error(), "check: ")))
			}
			fmt.Print(safe.All(timeline))
			return nil
		},
	}
}

// taskForm is a task by its number, with a rollout or an operation of it.
var taskForm = regexp.MustCompile(`^t?([0-9]{1,18})((?:\.[0-9]+)?(?:/.+)?)$`)

// taskOf reads what is to be explained. A task is known by its number, so that t28 and 28
// both stand for t000028.
func taskOf(text string) (string, error) {
	form := taskForm.FindStringSubmatch(text)
	if form == nil {
		return "", fmt.Errorf("explain %q: want a task such as t000017, a rollout of it such as t000017.2, or an operation such as t000017/s03", text)
	}
	number, err := strconv.ParseInt(form[1], 10, 64)
	return fmt.Sprintf("t%06d%s", number, form[2]), err
}
