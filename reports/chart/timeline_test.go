package chart_test

import (
	"bytes"
	"errors"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
)

func timeline(t *testing.T, run *history.Run) *chart.Figure {
	t.Helper()
	return judged(t, run, 0)
}

// judged is the timeline of a run whose verdict counts these replays.
func judged(t *testing.T, run *history.Run, replayed int) *chart.Figure {
	t.Helper()
	rows := []history.ArmRow{{Arm: "control"}, {Arm: "main", Replayed: history.Interval{Count: replayed}}}
	f, err := chart.Timeline(run, chart.Options{Arms: rows})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTimelines(t *testing.T) {
	for name, c := range map[string]struct {
		plot  plot
		title string
		says  []string
	}{
		"quiet":   {plots["quiet"], "0 of 896 operations failed; no faults were delivered", []string{"0 faults"}},
		"storm":   {plots["storm"], "Under 744 connection cuts, 17% of attempts and 0 of 3,584 operations failed", []string{"744 cuts, C1–C6, fin and rst", "0.25 s bins"}},
		"burst":   {plots["burst"], "Under 929 connection cuts, 21% of attempts and 0 of 3,584 operations failed", nil},
		"hang":    {plots["hang"], "Under 39 held connections, 19% of attempts and 39 of 208 operations failed", []string{"39 faults, C1–C6, hold"}},
		"second":  {plots["second"], "Under 110 connection cuts, 8.4% of attempts and 0 of 1,200 operations failed", []string{"0.05 s bins"}},
		"long":    {plots["long"], "Under 636 connection cuts, 4.1% of attempts and 0 of 15,000 operations failed", []string{"1 min bins", "3,600"}},
		"failing": {plots["failing"], "Under 384 connection cuts, 100% of attempts and 64 of 64 operations failed", []string{"no operation succeeded"}},
		"replays": {plots["replays"], "9 operations were executed twice or more under 1,432 connection cuts; 87 of 3,321 operations failed", nil},
		"windows": {plots["windows"], "Under 1,808 connection cuts, 15% of attempts and 237 of 10,806 operations failed", []string{"latency 250 ms", "C4 rst 30%", "C1 fin 65%", "1 s bins"}},
		"crowded": {plots["crowded"], "Under 169 connection cuts, 9.9% of attempts and 0 of 1,536 operations failed", []string{"45 cuts", "C4 rst 30%: 12", "C2 fin 20%, C3 fin 20%: 45"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := c.plot.run()
			f := judged(t, run, c.plot.replays)
			if f.Title() != c.title {
				t.Errorf("title\n got %q\nwant %q", f.Title(), c.title)
			}
			d := read(t, f)
			d.checkTexts(t)
			if d.title != c.title || !strings.HasPrefix(d.desc, c.title) || d.desc != f.Alt() {
				t.Errorf("the SVG is titled %q and described as %q", d.title, d.desc)
			}
			says := append(c.says, c.title, "Error rate", "attempts", "operations", "Seconds since start", "Latency of successful operations",
				"sim (usersim), tools (ledger)", "policy settle", "seed 42", run.Manifest.ID, "revision 9aeb7c31f2 ")
			if name != "failing" {
				says = append(says, "p50", "p95", "p99")
			}
			for _, text := range says {
				if !d.says(text) {
					t.Errorf("no text says %q", text)
				}
			}
			sameSVG(t, f, judged(t, run, c.plot.replays))
		})
	}
}

// Drawing a PNG is slow under the race detector, so one stands for all.
func TestTimelinePNG(t *testing.T) {
	run := plots["windows"].run()
	checkPNG(t, timeline(t, run), timeline(t, run), 1440, 944)
}

// checkPNG checks that two figures of one input give the same PNG, its size, and
// that much of it is drawn on, and much not.
func checkPNG(t *testing.T, a, b *chart.Figure, width, height int) {
	t.Helper()
	var out, again bytes.Buffer
	if err := errors.Join(a.WritePNG(&out), b.WritePNG(&again)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("two PNGs of one input differ")
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	bounds := picture.Bounds()
	if bounds.Dx() != width || bounds.Dy() != height {
		t.Errorf("the PNG is %d × %d, want %d × %d", bounds.Dx(), bounds.Dy(), width, height)
	}
	drawn, seen := 0, 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 3 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 3 {
			seen++
			if r, g, b, _ := picture.At(x, y).RGBA(); r&g&b != 0xFFFF {
				drawn++
			}
		}
	}
	if share := float64(drawn) / float64(seen); share < 0.02 || share > 0.6 {
		t.Errorf("%.1f %% of the PNG are drawn on", 100*share)
	}
}

// sameSVG checks that two figures of one input give the same SVG.
func sameSVG(t *testing.T, a, b *chart.Figure) {
	t.Helper()
	var out, again bytes.Buffer
	if err := errors.Join(a.WriteSVG(&out), b.WriteSVG(&again)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(out.String(), again.String()); diff != "" {
		t.Errorf("two SVGs of one input differ:\n%s", diff)
	}
}

// small is a run of one judged arm with one operation of one attempt.
func small() *history.Run {
	return &history.Run{
		Manifest: history.Manifest{ID: "r1", State: history.StateFinished, Arms: []history.Arm{{Name: "main", Judge: true}}},
		Ops: []history.Op{{
			Arm: "main", Op: "t000001/s01", Rollout: "t000001.1", Server: "sim", Kind: history.KindTurn, Tool: "respond",
			Key: "seq:0", Class: history.Keyed, Told: history.ToldOK, Start: 0, End: 1e9,
		}},
		Attempts: []history.Attempt{attempt(1, 1, history.RoleCall, history.ToldOK)},
	}
}

func attempt(n, exchange int, role history.ExchangeRole, told history.Told) history.Attempt {
	return history.Attempt{
		Arm: "main", Op: "t000001/s01", Rollout: "t000001.1", Attempt: n, Exchange: exchange, Role: role, Told: told,
		Start: 0, End: history.Instant(n) * 1e8,
	}
}

func delivered(cut, manner string) history.Fault {
	return history.Fault{Arm: "main", Rule: "r01", Cut: cut, Manner: manner, State: history.FaultDelivered}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*history.Run)
		want   string
	}{
		{"nothing happened", func(*history.Run) {}, "0 of 1 operation failed; no faults were delivered"},
		{"a failure by itself", func(r *history.Run) { r.Ops[0].Told = history.ToldUnknown }, "1 of 1 operation failed; no faults were delivered"},
		{"no answer is a failure", func(r *history.Run) { r.Ops[0].Told = history.ToldNone }, "1 of 1 operation failed; no faults were delivered"},
		{"a tool's own error is none", func(r *history.Run) {
			r.Ops[0].Told, r.Attempts[0].Told = history.ToldToolError, history.ToldToolError
			r.Faults = []history.Fault{delivered("C8", "fin")}
		}, "0 of 1 operation failed under 1 connection cut, and no attempt did"},
		{"attempts count, not exchanges", func(r *history.Run) {
			r.Attempts = []history.Attempt{
				attempt(1, 1, history.RoleInitialize, history.ToldOK), attempt(1, 2, history.RoleInitialized, history.ToldOK),
				attempt(1, 3, history.RoleCall, history.ToldUnknown), attempt(2, 1, history.RoleInitialize, history.ToldNotExecuted),
				attempt(3, 1, history.RoleInitialize, history.ToldOK), attempt(3, 2, history.RoleCall, history.ToldOK),
			}
			r.Faults = []history.Fault{delivered("C4", "rst"), delivered("C1", "fin")}
		}, "Under 2 connection cuts, 67% of attempts and 0 of 1 operation failed"},
		{"cleaning up and listing decide nothing", func(r *history.Run) {
			r.Attempts = append(r.Attempts, attempt(1, 2, history.RoleDelete, history.ToldUnknown), attempt(1, 3, history.RoleGet, history.ToldUnknown))
			r.Faults = []history.Fault{delivered("C8", "fin")}
		}, "0 of 1 operation failed under 1 connection cut, and no attempt did"},
		{"a settle decides", func(r *history.Run) {
			r.Attempts[0].Role, r.Attempts[0].Told = history.RoleSettle, history.ToldUnknown
			r.Faults = []history.Fault{delivered("C4", "hold")}
		}, "Under 1 held connection, 100% of attempts and 0 of 1 operation failed"},
		{"several manners", func(r *history.Run) {
			r.Faults = []history.Fault{delivered("C4", "hold"), delivered("C4", "rst")}
		}, "0 of 1 operation failed under 2 faults, and no attempt did"},
		{"answers in the server's place", func(r *history.Run) {
			r.Faults = []history.Fault{delivered("C1", "status")}
		}, "0 of 1 operation failed under 1 fault, and no attempt did"},
		{"undelivered faults are none", func(r *history.Run) {
			r.Faults = []history.Fault{{Arm: "main", State: history.FaultMissed}, {Arm: "main", State: history.FaultUnarmed}, {Arm: "control", State: history.FaultDelivered}}
		}, "0 of 1 operation failed; no faults were delivered"},
		{"toxics of toxiproxy", func(r *history.Run) {
			r.Faults = []history.Fault{{Arm: "main", Toxic: "slicer", State: history.FaultInstalled}, {Arm: "main", Toxic: "latency", State: history.FaultInstalled}}
		}, "0 of 1 operation failed under latency and slicer, and no attempt did"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := small()
			c.change(run)
			f := timeline(t, run)
			if f.Title() != c.want {
				t.Errorf("\n got %q\nwant %q", f.Title(), c.want)
			}
			read(t, f).checkTexts(t)
		})
	}
}

// Replays are the verdict's to count: a title says no other number.
func TestTitlesOfReplays(t *testing.T) {
	run := small()
	for replayed, want := range map[int]string{
		0: "0 of 1 operation failed; no faults were delivered",
		1: "1 operation was executed twice or more without any fault; 0 of 1 operation failed",
	} {
		if got := judged(t, run, replayed).Title(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	run.Faults = []history.Fault{delivered("C4", "rst")}
	if got, want := judged(t, run, 2).Title(), "2 operations were executed twice or more under 1 connection cut; 0 of 1 operation failed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a manifest may hold must neither break the layout nor leave the canvas.
func TestLongTexts(t *testing.T) {
	run := plots["crowded"].run()
	m := &run.Manifest
	m.State, m.Script.Path = history.StateStopped, "/somewhere/scenarios/"+strings.Repeat("long-", 40)+"name.js"
	m.Revision = "9aeb7c31f2d04b7c8a-dirty"
	arm := &m.Arms[1]
	arm.Name = "an arm with <a name> & some \"marks\""
	arm.Policies = map[string]string{"sim": "settle", "tools": "at-least-once"}
	for i := range 9 {
		arm.Servers = append(arm.Servers, history.Server{Name: strings.Repeat("server", i)})
	}
	for i := range run.Plan {
		run.Plan[i].Arm = arm.Name
		run.Plan[i].Cut = strings.Repeat("C4", 40)
	}
	for i := range run.Attempts {
		run.Attempts[i].Arm = arm.Name
	}
	for i := range run.Faults {
		run.Faults[i].Arm = arm.Name
	}
	d := read(t, timeline(t, run))
	d.checkTexts(t)
	for _, text := range []string{"arm " + arm.Name, "not finished", "…"} {
		if !d.says(text) {
			t.Errorf("no text says %q", text)
		}
	}
	if d.says("/somewhere") {
		t.Error("a folder of the machine is shown")
	}
}

func TestTimelineErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*history.Run)
		arm    string
		want   error
		says   string
	}{
		{"no attempts", func(r *history.Run) { r.Attempts = nil }, "", chart.ErrNoAttempts, `"main" of run r1`},
		{"attempts of another arm", func(r *history.Run) { r.Attempts[0].Arm = "control" }, "", chart.ErrNoAttempts, "main"},
		{"no arm at all", func(r *history.Run) { r.Manifest.Arms = nil }, "", chart.ErrNoArm, "r1"},
		{"no judged arm", func(r *history.Run) { r.Manifest.Arms[0].Judge = false }, "", chart.ErrNoArm, "r1"},
		{"an unknown arm", func(*history.Run) {}, "other", chart.ErrNoArm, `"other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := small()
			c.change(run)
			_, err := chart.Timeline(run, chart.Options{Arm: c.arm})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v that says %q", err, c.want, c.says)
			}
		})
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	f := timeline(t, small())
	for name, err := range map[string]error{"PNG": f.WritePNG(full{}), "SVG": f.WriteSVG(full{})} {
		if !errors.Is(err, errFull) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
