package chart_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

const ms = time.Millisecond

// varied is a run in which every delivery occurs.
func varied() *history.Run {
	return done(
		deed{n: 150, arm: "control", commits: 1},
		deed{n: 60, commits: 1},
		deed{n: 3, commits: 1, at: 1 * time.Second, took: 200 * ms},
		deed{n: 12, cut: "C1", manner: "fin", commits: 1, attempts: 2, at: 2 * time.Second, took: 40 * ms},
		deed{n: 4, cut: "C1", manner: "status", told: history.ToldNotExecuted, at: 2 * time.Second},
		deed{n: 9, cut: "C4", manner: "rst", commits: 2, attempts: 2, at: 3 * time.Second, took: 90 * ms},
		deed{n: 6, cut: "C4", manner: "rst", commits: 1, told: history.ToldUnknown, at: 3 * time.Second},
		deed{n: 5, cut: "C4", manner: "fin", commits: 1, settled: "result", at: 3 * time.Second},
		deed{n: 2, cut: "C3w", manner: "hold", server: "tools", told: history.ToldUnknown, at: 4 * time.Second, took: time.Second},
		deed{n: 7, cut: "C5", manner: "rst", server: "tools", role: history.RoleInitialize, commits: 1, at: 4 * time.Second},
		deed{n: 1, cut: "C6", manner: "rst", server: "tools", class: history.ReadOnly, commits: 3, attempts: 3, at: 4 * time.Second, took: 300 * ms},
		deed{n: 30, commits: 1, at: 6 * time.Second, took: 12 * ms},
	)
}

// healed is a run with windows, a burst and a heal phase.
func healed() *history.Run {
	p := plot{
		rollouts: 60, turns: 10, think: 800 * ms, latency: 20 * ms, manners: cuts,
		cut: func(at time.Duration) float64 { return within(0.4, 2, 4)(at) + within(0.8, 5, 5.3)(at) },
		rules: []history.PlanRule{
			{Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", Share: 0.4, During: []string{"2s", "4s"}},
			{Rule: "r02", On: "sim", Cut: "C1", Manner: "status", Detail: &history.PlanDetail{Code: 503}, Share: 0.4, During: []string{"3s", "4s"}},
			{Rule: "r03", On: "sim", Cut: "burst", Manner: "rst", Share: 0.5, During: []string{"5s"}},
		},
	}
	run := p.run()
	run.Manifest.Arms[1].Heal = &history.Heal{At: 6500 * ms, Within: 2 * time.Second}
	for i := range run.Manifest.Arms[1].Servers {
		run.Manifest.Arms[1].Servers[i].Era = "2026-07-28"
	}
	return run
}

// open is a run whose rollouts were due at a rate, and of which some started late and
// one in ten not at all.
func open() *history.Run {
	run := done(deed{n: 90, commits: 1, cut: "C4", manner: "rst", attempts: 2})
	run.Manifest.Options = json.RawMessage(`{"scenarios":{"load":{"executor":"constant-arrival-rate","rate":10,"timeUnit":"1s","duration":"10s"}}}`)
	run.Manifest.Arms[1].Scenarios = []history.Scenario{{Name: "load", Executor: "constant-arrival-rate", Planned: 100}}
	for i := range run.Ops {
		op := &run.Ops[i]
		k := int64(i + i/9)
		late := history.Instant(0)
		if i%5 == 4 {
			late = 3e8
		}
		op.Start = history.Instant(armStart) + history.Instant(k)*1e8 + late
		op.End = op.Start + 1e7
		run.Faults[i].At = op.Start
		run.Rollouts = append(run.Rollouts, history.Rollout{
			Arm: "main", Scenario: "load", Task: strings.TrimSuffix(op.Rollout, ".1"), Rollout: op.Rollout, Iteration: k, Start: op.Start, End: op.End,
		})
	}
	return run
}

type drawer func(*history.Run, chart.Options) (*chart.Figure, error)

// figures are the pictures that are kept, each with what must be said in it.
var figures = map[string]struct {
	draw  drawer
	run   func() *history.Run
	o     chart.Options
	title string
	says  []string
}{
	"timeline": {
		chart.Timeline, healed,
		chart.Options{},
		"Under 94 connection cuts, 14% of attempts and 0 of 600 operations failed",
		[]string{"heal phase, no faults", "burst rst 50%", "C1 503 40%", "MCP 2026-07-28"},
	},
	"outcomes": {
		chart.Outcomes, varied,
		chart.Options{},
		"Of 46 operations that a fault struck, 9 were duplicated, 6 lost and 6 left unknown",
		[]string{"exactly once", "late", "retried or settled", "duplicated effect", "lost", "unknown", "no fault", "4 lost", "9 duplicated, 6 unknown", "C3w", "n = 16"},
	},
	"faults": {
		chart.FaultMap, varied,
		chart.Options{},
		"C1 status on sim call failed 4 of 4 operations that it struck (100%); all faults together 26%",
		[]string{"sim call", "tools call", "tools initialize", "hold", "6 of 15", "40%", "–", "0% to 100%"},
	},
	"latency": {
		chart.Latency, varied,
		chart.Options{},
		"26% of operations failed during the faults",
		[]string{"control, no faults", "before the faults", "during the faults", "after the faults", "12 of 46", "Closed load"},
	},
	"latency-open": {
		chart.Latency, open,
		chart.Options{},
		"90% of operations were answered within 310 ms during the faults",
		[]string{"Open load", "10 that were due never started"},
	},
	"recovery": {
		chart.Recovery, healed,
		chart.Options{Recovery: []history.Recovery{{Arm: "main", Server: "sim", Served: 3e6}}},
		"Failed attempts were back under 1% within 297 ms of the faults' end, 2 of 2 times",
		[]string{"sim", "First answer in 3 ms", "ended at 5 s"},
	},
}

func TestFigures(t *testing.T) {
	for name, c := range figures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := c.draw(c.run(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if f.Title() != c.title {
				t.Errorf("title\n got %q\nwant %q", f.Title(), c.title)
			}
			d := read(t, f)
			d.checkTexts(t)
			for _, text := range append(c.says, "mcpstorm run 20261129T164512Z-7f3a", "seed 42", "revision 9aeb7c31f2") {
				if !d.says(text) {
					t.Errorf("no text says %q", text)
				}
			}
			if d.title != f.Title() || d.desc != f.Alt() || !strings.HasPrefix(d.desc, c.title+". ") || len(d.desc) < 2*len(c.title) {
				t.Errorf("titled %q and described as %q", d.title, d.desc)
			}
			golden(t, f, name)
		})
	}
}

// golden holds a figure to the picture that is kept of it.
func golden(t *testing.T, f *chart.Figure, name string) {
	t.Helper()
	var got bytes.Buffer
	if err := f.WriteSVG(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".svg")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the picture is not %s; look at both, and rewrite it with -update if it is meant", file)
	}
}

// Each kind of figure is drawn as a PNG of its size, and marked where it must be.
func TestMarked(t *testing.T) {
	f, err := chart.Outcomes(varied(), chart.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reason := "coverage does not hold: " + strings.Repeat("a <long> reason ", 20) + "\x1b[2J\u202e"
	marked := f.Marked(reason)
	if again := f.Marked(reason); marked.Title() != again.Title() || strings.Contains(f.Title(), "Inconclusive") {
		t.Error("marking changes the figure")
	}
	plain, d := read(t, f), read(t, marked)
	d.checkTexts(t)
	if d.height <= plain.height || !d.says("Inconclusive: coverage does not hold: a <long> reason") || !d.says("…") {
		t.Error("the mark is not drawn")
	}
	if !strings.HasPrefix(d.desc, "Inconclusive: coverage") || strings.ContainsAny(d.desc+d.title, "\x1b\u202e") {
		t.Errorf("described as %q", d.desc)
	}
	checkPNG(t, marked, f.Marked(reason), 1440, int(d.height/72*160+0.5))
	if empty := f.Marked(""); !strings.HasPrefix(empty.Title(), "Inconclusive. Of") {
		t.Errorf("titled %q", empty.Title())
	}
}

// Names from scripts and from the wire break no picture.
func TestHostileNames(t *testing.T) {
	bad := "</text><script>alert(1)</script>]]>\x00\x1b[31m\u202e&\"' " + strings.Repeat("long ", 60)
	for name, c := range figures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := c.run()
			run.Manifest.Script.Path, run.Manifest.ID, run.Manifest.Revision = bad, bad, bad
			o := c.o
			o.Recovery = []history.Recovery{{Arm: "main", Server: bad}}
			rename(run, bad)
			f, err := c.draw(run, o)
			if err != nil {
				t.Fatal(err)
			}
			var document bytes.Buffer
			if err := f.WriteSVG(&document); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(document.Bytes(), []byte("<script")) || bytes.ContainsAny(document.Bytes(), "\x00\x1b\u202e") {
				t.Error("what a name holds stands in the picture as it is")
			}
			read(t, f).checkTexts(t)
		})
	}
}

// rename gives everything that has a name this one.
func rename(run *history.Run, name string) {
	for i := range run.Manifest.Arms {
		for j := range run.Manifest.Arms[i].Servers {
			run.Manifest.Arms[i].Servers[j].Name = name
		}
	}
	for i := range run.Ops {
		run.Ops[i].Server, run.Ops[i].Tool = name, name
	}
	for i := range run.Attempts {
		run.Attempts[i].Server = name
	}
	for i := range run.Effects {
		run.Effects[i].Server, run.Effects[i].Tool = name, name
	}
	for i := range run.Faults {
		f := &run.Faults[i]
		f.Server, f.Role, f.Cut, f.Manner = name, history.ExchangeRole(name), name+f.Cut, name
	}
	for i := range run.Plan {
		run.Plan[i].On, run.Plan[i].Cut, run.Plan[i].Manner = name, name, name
	}
}
