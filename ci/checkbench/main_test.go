package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// The history is whole, as long as asked for, and one that passes: a benchmark of
// another would measure proofs.
func TestTheHistoryPasses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	events, err := write(dir, 40_000)
	if err != nil {
		t.Fatal(err)
	}
	run, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := len(run.Ops) + len(run.Attempts) + len(run.Rollouts) + len(run.Wire) + len(run.Faults) + len(run.Effects)
	if events < 40_000 || events > 40_100 || got != events {
		t.Errorf("%d events are said to be written, and %d are there", events, got)
	}
	v := check.Evaluate(run, check.Options{})
	if v.Status != history.Pass {
		t.Error(v.Reason)
	}
	for _, inv := range v.Invariants {
		switch inv.ID {
		case "no-unsafe-replay", "no-leak", "recovery": // there is nothing to judge them by
		default:
			if inv.Status != history.Pass {
				t.Errorf("%s is %q: %s", inv.ID, inv.Status, inv.Reason)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for name, args := range map[string][]string{
		"no events":  {"-events", "0"},
		"no rounds":  {"-rounds", "0"},
		"unknown":    {"-what"},
		"no program": {"-program", filepath.Join(t.TempDir(), "none"), "-events", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(args, &out, io.Discard); err == nil || out.Len() > 0 {
				t.Errorf("error %v, output %q; want an error alone", err, &out)
			}
		})
	}
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	reading{wall: 2 * time.Second, cpu: 3 * time.Second, peak: 300e6}.print(&out, 1_500_000)
	reading{wall: 30 * time.Second, cpu: 3 * time.Second, peak: 5e9}.print(&out, 10_000_000)
	for _, want := range []string{
		"check: 750000 events/s (at least 500000: met), 500000 per CPU second; 1500000 events in 2s, 3s of CPU",
		"check: 300 MB in memory at the most\n",
		"333333 events/s (at least 500000: missed)", "5000 MB in memory at the most (4000 MB allowed: missed)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
