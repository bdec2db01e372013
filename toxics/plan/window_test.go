package plan_test

import (
	"testing"
	"time"

	"mcpstorm/toxics/plan"
)

func TestArmed(t *testing.T) {
	always := plan.Window{}
	times := plan.Window{From: 5 * time.Second, To: 25 * time.Second}
	first := plan.Window{To: time.Second}
	start := plan.Window{Start: true}
	healed := plan.Window{Start: true, To: 25 * time.Second}
	rising := plan.Window{From: 10 * time.Second, To: 20 * time.Second, Ramp: true, High: 0.4}
	falling := plan.Window{From: 10 * time.Second, To: 20 * time.Second, Ramp: true, Low: 0.4}
	tests := []struct {
		name    string
		window  plan.Window
		elapsed time.Duration
		step    string
		draw    float64
		want    bool
	}{
		{"no window", always, time.Hour, "s09", 0, true},
		{"no window, before the arm", always, -1, "s09", 0, true},
		{"just before it opens", times, 5*time.Second - 1, "s02", 0, false},
		{"as it opens", times, 5 * time.Second, "s02", 0, true},
		{"just before it closes", times, 25*time.Second - 1, "s02", 0, true},
		{"as it closes", times, 25 * time.Second, "s02", 0, false},
		{"before the arm", first, -1, "s02", 0, false},
		{"as the arm begins", first, 0, "s02", 0, true},
		{"the connect", start, time.Hour, "s01", 0, true},
		{"the first call", start, -1, "s02", 0, true},
		{"what the client adds to it", start, 0, "s02.settle", 0, true},
		{"the second call", start, 0, "s03", 0, false},
		{"a later step that begins alike", start, 0, "s020", 0, false},
		{"the connect, before the heal", healed, 25*time.Second - 1, "s01", 0, true},
		{"the connect, in the heal", healed, 25 * time.Second, "s01", 0, false},
		{"a ramp as it begins", rising, 10 * time.Second, "s02", 0, false},
		{"a ramp in the middle", rising, 15 * time.Second, "s02", 0.19, true},
		{"a ramp in the middle, not yet", rising, 15 * time.Second, "s02", 0.21, false},
		{"a ramp as it closes", rising, 20 * time.Second, "s02", 0, false},
		{"a falling ramp as it begins", falling, 10 * time.Second, "s02", 0.39, true},
		{"a falling ramp in the middle", falling, 15 * time.Second, "s02", 0.21, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.window.Armed(tt.elapsed, tt.step, tt.draw); got != tt.want {
				t.Errorf("%v: Armed(%v, %s) = %v, want %v", tt.window, tt.elapsed, tt.step, got, tt.want)
			}
		})
	}
}

func TestWindowsDoNotChangeMarks(t *testing.T) {
	open, never := share("r01", 0.5), share("r01", 0.5)
	never.During = plan.Window{From: time.Hour, To: 2 * time.Hour}
	behind := share("r02", 1)
	free, shut := newPlan(t, 1, open, behind), newPlan(t, 1, never, behind)
	for _, x := range calls(0, 100) {
		want, _ := free.Decide(x)
		if got, ok := shut.Decide(x); !ok || got != want {
			t.Errorf("%v: %+v with a window, %+v without", x.Ref, got, want)
		}
	}
	if got := shut.Window("r01"); got != never.During {
		t.Errorf("Window(r01) = %v", got)
	}
	if got := shut.Window("r02"); got != (plan.Window{}) {
		t.Errorf("Window(r02) = %v", got)
	}
}
