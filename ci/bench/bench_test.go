package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// TestMain is also the server process of these tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveFlag {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestRun makes the whole benchmark with small settings, and looks for what it
// leaves behind.
func TestRun(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var out bytes.Buffer
	args := []string{"-rounds", "2", "-seconds", "0.2", "-in-flight", "4", "-rollouts", "8", "-users", "8"}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{"echo  ", "direct  ", "storm  ", "direct, calls/s", "storm, calls/s", "memory of a virtual user", "memory of a rollout"} {
		if n := strings.Count("\n"+out.String(), "\n"+start); n != 1 {
			t.Errorf("%d lines begin with %q, want 1", n, start)
		}
	}
	if n := strings.Count(out.String(), "met") + strings.Count(out.String(), "missed"); n != 4 {
		t.Errorf("%d verdicts, want 4", n)
	}
	if t.Failed() {
		t.Log("\n" + out.String())
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRunRefuses(t *testing.T) {
	for name, args := range map[string][]string{
		"no rounds":       {"-rounds", "0"},
		"no time":         {"-seconds", "0"},
		"nobody":          {"-in-flight", "0"},
		"no collector":    {"-gogc", "0"},
		"fewer than none": {"-rollouts", "-1"},
		"users of no use": {"-users", "-1"},
		"unknown":         {"-what"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(t.Context(), args, &out, io.Discard); err == nil || out.Len() > 0 {
				t.Errorf("error %v, output %q; want an error alone", err, &out)
			}
		})
	}
}

// TestNobodyServes proves that a path whose calls fail is an error, and no number.
func TestNobodyServes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := settings{rounds: 1, window: 20 * time.Second, inFlight: 2}
	for _, p := range paths {
		t.Run(p.name, func(t *testing.T) {
			if r, err := round(t.Context(), s, p, addr); err == nil {
				t.Errorf("measured %+v, want an error", r)
			}
		})
	}
	t.Run("weigh", func(t *testing.T) {
		if w, err := weigh(t.Context(), addr, 2); err == nil {
			t.Errorf("weighed %+v, want an error", w)
		}
	})
}

func TestStoppedFromOutside(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l := &lane{calls: []func() error{func() error { return nil }}}
	if r, err := l.drive(ctx, 20*time.Second); err == nil {
		t.Errorf("measured %+v, want an error", r)
	}
}

// TestSameSize proves that an echo and a call move the same number of body bytes.
func TestSameSize(t *testing.T) {
	answer := mcpAnswer([]byte(echoBody))
	if len(answer) != len(echoBody) {
		t.Errorf("a call of %d bytes is answered with %d: %s", len(echoBody), len(answer), answer)
	}
}

func TestPrint(t *testing.T) {
	m := &measured{
		rounds: map[string][]reading{
			echoName:   {{20000, 30 * time.Microsecond}, {10000, 40 * time.Microsecond}, {30000, 20 * time.Microsecond}},
			directName: {{16000, 45 * time.Microsecond}, {10000, 40 * time.Microsecond}, {15000, 60 * time.Microsecond}},
			stormName:  {{8800, 90 * time.Microsecond}, {4000, 160 * time.Microsecond}, {15000, 60 * time.Microsecond}},
		},
		user:   &weight{bytes: 84_000, goroutines: 1},
		weight: &weight{bytes: 460_000, goroutines: 12},
	}
	var out bytes.Buffer
	if err := m.print(&out, settings{rounds: 3, window: 2 * time.Second, inFlight: 64, gogc: 400, rollouts: 1000, users: 5000}); err != nil {
		t.Fatal(err)
	}
	want := `path    calls/s                    to echo                  CPU µs/call                   to echo
echo    20000    (10000 to 30000)  1.00     (1.00 to 1.00)  30.0         (20.0 to 40.0)   1.00     (1.00 to 1.00)
direct  15000    (10000 to 16000)  0.80     (0.50 to 1.00)  45.0         (40.0 to 60.0)   1.50     (1.00 to 3.00)
storm   8800     (4000 to 15000)   0.44     (0.40 to 0.50)  90.0         (60.0 to 160.0)  3.00     (3.00 to 4.00)

budget                            wanted          measured
direct, calls/s to echo           at least 0.80   0.80                     met
storm, calls/s to echo            at least 0.45   0.44                     missed
memory of a virtual user of 5000  at most 130 KB  84 KB, 1.0 goroutines    met
memory of a rollout of 1000       at most 400 KB  460 KB, 12.0 goroutines  missed

The echo alone varied 3.0-fold: the machine had other work, and the ratios are rough.
`
	_, table, _ := strings.Cut(out.String(), "\n\n")
	var lines []string
	for line := range strings.Lines(table) {
		lines = append(lines, strings.TrimRight(line, " \n")+"\n")
	}
	if diff := cmp.Diff(want, strings.Join(lines, "")); diff != "" {
		t.Error(diff)
	}
}
