package reports_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/reports/chart"
)

// drawn is a run of twelve operations, each of whose answers was cut once.
func drawn() *history.Run {
	run := &history.Run{Manifest: history.Manifest{ID: "r1", State: history.StateFinished, Arms: []history.Arm{{Name: "main", Judge: true}}}}
	for i := range 12 {
		rollout := fmt.Sprintf("t%06d.1", i)
		op := fmt.Sprintf("t%06d/s01", i)
		run.Ops = append(run.Ops, history.Op{
			Arm: "main", Op: op, Rollout: rollout, Server: "sim", Kind: history.KindTurn, Tool: "respond",
			Key: "seq:0", Class: history.Keyed, Told: history.ToldOK, Attempts: 2, End: 1e9,
		})
		run.Attempts = append(
			run.Attempts,
			history.Attempt{Arm: "main", Op: op, Rollout: rollout, Attempt: 1, Role: history.RoleCall, Told: history.ToldUnknown, End: 1e8},
			history.Attempt{Arm: "main", Op: op, Rollout: rollout, Attempt: 2, Role: history.RoleCall, Told: history.ToldOK, Start: 5e8, End: 1e9},
		)
		run.Faults = append(run.Faults, history.Fault{
			Arm: "main", Server: "sim", Rule: "r01", Op: op, Rollout: rollout, Attempt: 1, Role: history.RoleCall,
			Cut: "C4", Manner: "rst", State: history.FaultDelivered, At: 1e8,
		})
	}
	return run
}

// twice makes two judged arms of the run.
func twice(run *history.Run) {
	run.Manifest.Arms = append(run.Manifest.Arms, history.Arm{Name: "a/b", Judge: true}, history.Arm{Name: "control", Judge: true, Control: true})
	other := run.Attempts[1]
	other.Arm = "a/b"
	run.Attempts = append(run.Attempts, other)
}

func names(paths []string) (list []string) {
	for _, path := range paths {
		list = append(list, filepath.Base(path))
	}
	return list
}

// files are an SVG for each stem, and PNGs of timelines.
func files(stems ...string) (list []string) {
	for _, stem := range stems {
		if strings.HasPrefix(stem, "timeline") {
			list = append(list, stem+".png")
		}
		list = append(list, stem+".svg")
	}
	return list
}

func TestWriteCharts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*history.Run)
		want   []string
		err    error
	}{
		{"one arm without faults", func(r *history.Run) { r.Faults = nil }, files("timeline", "latency"), nil},
		{
			"several arms", twice,
			files("timeline-main", "timeline-a%2Fb", "outcomes-main", "faults-main", "latency-main"), nil,
		},
		{
			"one of them empty", func(r *history.Run) { twice(r); r.Attempts, r.Ops = r.Attempts[:24], nil },
			files("timeline-main"), chart.ErrNoAttempts,
		},
		{"nothing judged", func(r *history.Run) { r.Manifest.Arms = nil }, nil, chart.ErrNoArm},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, dir := drawn(), t.TempDir()
			c.change(run)
			paths, err := reports.WriteCharts(run, history.Verdict{}, dir)
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			for _, path := range paths {
				if info, err := os.Stat(path); err != nil || info.Size() == 0 {
					t.Errorf("%s was not written: %v", path, err)
				}
			}
			if diff := cmp.Diff(c.want, names(paths)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no such folder", func(t *testing.T) {
		paths, err := reports.WriteCharts(drawn(), history.Verdict{}, filepath.Join(t.TempDir(), "none"))
		if !errors.Is(err, os.ErrNotExist) || len(paths) > 0 {
			t.Errorf("got %v and %v", paths, err)
		}
	})
}

// Every chart says in words what it shows and, where the run is inconclusive, that it
// is; what was not drawn says why.
func TestDrawCharts(t *testing.T) {
	run := drawn()
	charts, undrawn, err := reports.DrawCharts(run, history.Verdict{Status: history.Inconclusive, Reason: "coverage <does> not hold\x1b[1m"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range charts {
		if info, err := os.Stat(c.Path); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", c.Path, err)
		}
		const mark = `Inconclusive: coverage <does> not hold\x1b[1m. `
		if !strings.HasPrefix(c.Title, mark) || !strings.HasPrefix(c.Alt, c.Title) || len(c.Alt) < len(c.Title)+20 {
			t.Errorf("%s is titled %q and described as %q", filepath.Base(c.Path), c.Title, c.Alt)
		}
		data, err := os.ReadFile(c.SVG)
		if err != nil || !strings.Contains(string(data), "&lt;does&gt;") || strings.Contains(string(data), "\x1b") {
			t.Errorf("%s does not say that the run is inconclusive, or not as text: %v", c.SVG, err)
		}
	}
	want := []reports.Undrawn{{
		Name: "recovery", Reason: "no server was asked anything after its faults",
	}}
	if diff := cmp.Diff(want, undrawn); diff != "" {
		t.Errorf("not drawn (-want +got):\n%s", diff)
	}
}
