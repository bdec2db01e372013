package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/run"
	"mcpstorm/xk6-mcp/run/doctor"
)

// diagnosis is everything that doctor found.
type diagnosis struct {
	Host    doctor.Host    `json:"host"`
	Carried int            `json:"carried"` // rollouts at once
	Levels  []doctor.Level `json:"levels"`
}

func doctorCommand() *cobra.Command {
	var most int
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Measure this host, and say how many rollouts it can carry",
		Long: `Measure this host, and say how many rollouts it can carry before its own limits
would be booked as the target's. It drives the user simulator without faults at
64, 128, 256 … rollouts, until timers fire too late or descriptors, ports or the
disk are the limit.`,
		Example: "  mcpstorm doctor\n  mcpstorm doctor --max 512 --json",
		Args:    cobra.NoArgs,
	}
	c.Flags().IntVar(&most, "max", 4096, "the most rollouts to try")
	c.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		if most < 1 {
			return fmt.Errorf("--max %d: want 1 or more", most)
		}
		relaxCollector()
		stop, release := signals()
		defer release()
		out := io.Writer(os.Stdout)
		if asJSON {
			out = io.Discard
		}
		found, err := diagnose(stop, out, most)
		if asJSON {
			encoder := json.NewEncoder(os.Stdout)
			encoder.SetIndent("", "  ")
			err = errors.Join(err, encoder.Encode(found))
		}
		switch {
		case errors.Is(err, context.Canceled):
			return exit(run.ExitStopped)
		case err != nil:
			return cannot(err)
		case found.Carried == 0:
			return exit(run.ExitInconclusive)
		}
		return nil
	}
	return c
}

// diagnose prints what it finds as it goes.
func diagnose(stop context.Context, out io.Writer, most int) (found diagnosis, err error) {
	if found.Host, err = doctor.Examine(stop, clock.System{}); err != nil {
		return found, err
	}
	printHost(out, found.Host)
	found.Carried, found.Levels, err = doctor.Climb(stop, doctor.Settings{
		From: min(64, most), To: most, Clock: clock.System{},
		Each: func(l doctor.Level) { printLevel(out, l) },
	})
	if err != nil {
		return found, err
	}
	fmt.Fprintf(out, "\n%s\n", found.conclusion(most))
	return found, nil
}

// conclusion is the answer in one sentence.
func (d diagnosis) conclusion(most int) string {
	switch d.Carried {
	case 0:
		return "This host carries no such load now: whatever is measured on it is its own limit."
	case most:
		return fmt.Sprintf("This host carries %d rollouts at once, the most that was tried.", most)
	}
	return fmt.Sprintf("This host carries %d rollouts at once; beyond that, its own limits would be booked as the target's.", d.Carried)
}

func printHost(out io.Writer, h doctor.Host) {
	line := func(known bool, name, format string, args ...any) {
		if known {
			fmt.Fprintf(out, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
		}
	}
	fmt.Fprintln(out)
	line(true, "cores", "%d", h.Cores)
	line(h.Quota > 0, "quota", "%.2g cores for this process", h.Quota)
	line(h.Memory > 0, "memory", "%.1f GiB available", float64(h.Memory)/(1<<30))
	line(h.Descriptors > 0, "descriptors", "%d, of which %d are open", h.Descriptors, h.Open)
	line(h.Ports > 0, "ports", "%d for outgoing connections", h.Ports)
	line(h.Backlog > 0, "backlog", "%d connections may wait to be accepted", h.Backlog)
	line(true, "timers", "fire %v late (p50), %v (p99), %v at most", rounded(h.Timers.P50), rounded(h.Timers.P99), rounded(h.Timers.Max))
	fmt.Fprintln(out)
}

func printLevel(out io.Writer, l doctor.Level) {
	word := "carries"
	if !l.Held {
		word = "limited"
	}
	fmt.Fprintf(out, "  %s %5d rollouts   %s\n", word, l.Rollouts, l.Text)
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
