package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"mcpstorm/reports/stats"
)

// The budgets.
const (
	directBudget = 0.80 // of the echo's calls a second
	stormBudget  = 0.45 // of the echo's calls a second
	userBudget   = 130  // KB a virtual user
	weightBudget = 400  // KB a rollout
)

// restless is how much the echo may vary between rounds on a machine that does
// nothing else.
const restless = 1.5

// measured is everything that was measured.
type measured struct {
	rounds map[string][]reading // by path, in order
	user   *weight              // of a virtual user; nil when it was not taken
	weight *weight              // of a rollout; nil when it was not taken
}

// spread is a median and what lies around it.
type spread struct{ low, median, high float64 }

func spreadOf(values []float64) spread {
	q := stats.Quantiles(values, 0, 0.5, 1)
	return spread{q[0], q[1], q[2]}
}

// format writes a spread with one verb for each of its numbers.
func (s spread) format(verb string) string {
	return fmt.Sprintf(verb+"\t("+verb+" to "+verb+")", s.median, s.low, s.high)
}

func callsPerSecond(r reading) float64 { return r.perSecond }

func cpuMicros(r reading) float64 { return float64(r.cpu.Nanoseconds()) / 1000 }

// of is one figure of a path over all rounds.
func (m *measured) of(path string, figure func(reading) float64) spread {
	var values []float64
	for _, r := range m.rounds[path] {
		values = append(values, figure(r))
	}
	return spreadOf(values)
}

// ratio is the same, of each round to the echo of that round.
func (m *measured) ratio(path string, figure func(reading) float64) spread {
	var values []float64
	for i, r := range m.rounds[path] {
		values = append(values, figure(r)/figure(m.rounds[echoName][i]))
	}
	return spreadOf(values)
}

// print writes the table and what it means for the budgets.
func (m *measured) print(out io.Writer, s settings) error {
	fmt.Fprintf(out, "%d CPUs, %s, %s/%s; %d in flight, %d rounds of %v; GOGC=%d; medians (least to most)\n\n",
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, s.inFlight, s.rounds, s.window, s.gogc)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "path\tcalls/s\t\tto echo\t\tCPU µs/call\t\tto echo\t\n")
	for _, p := range paths {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.name,
			m.of(p.name, callsPerSecond).format("%.0f"), m.ratio(p.name, callsPerSecond).format("%.2f"),
			m.of(p.name, cpuMicros).format("%.1f"), m.ratio(p.name, cpuMicros).format("%.2f"))
	}
	fmt.Fprint(t, "\nbudget\twanted\tmeasured\t\n")
	direct, storm := m.ratio(directName, callsPerSecond).median, m.ratio(stormName, callsPerSecond).median
	fmt.Fprintf(t, "direct, calls/s to echo\tat least %.2f\t%.2f\t%s\n", directBudget, direct, word(direct >= directBudget))
	fmt.Fprintf(t, "storm, calls/s to echo\tat least %.2f\t%.2f\t%s\n", stormBudget, storm, word(storm >= stormBudget))
	m.user.print(t, "virtual user", s.users, userBudget)
	m.weight.print(t, "rollout", s.rollouts, weightBudget)
	if err := t.Flush(); err != nil {
		return err
	}
	if e := m.of(echoName, callsPerSecond); e.high > restless*e.low {
		fmt.Fprintf(out, "\nThe echo alone varied %.1f-fold: the machine had other work, and the ratios are rough.\n", e.high/e.low)
	}
	return nil
}

// print writes what one of so many weighs, if it was weighed.
func (w *weight) print(out io.Writer, what string, many int, budget float64) {
	if w == nil {
		return
	}
	kb := w.bytes / 1000
	fmt.Fprintf(out, "memory of a %s of %d\tat most %.0f KB\t%.0f KB, %.1f goroutines\t%s\n",
		what, many, budget, kb, w.goroutines, word(kb <= budget))
}

func word(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}
