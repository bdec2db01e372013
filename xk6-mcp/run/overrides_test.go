package run

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// TestOverridesComeBack makes the options of a run again of what its manifest holds.
func TestOverridesComeBack(t *testing.T) {
	latency := 50 * time.Millisecond
	given := Options{
		Script: "a.js", Seed: 7, VUs: 24, Policies: []string{"sim=settle"}, Era: "both", Reissue: "spec",
		Bugs: []string{"FM-01", "FM-04"}, TurnLatency: &latency, Faults: json.RawMessage(`[]`), Scenarios: []string{"a"},
		Above: []engine.Layer{{{Option: "vus", Source: "K6_VUS=9"}}},
	}
	m := &history.Manifest{
		Script: history.Script{Path: "a.js"}, Seed: 7, Overrides: given.overrides(),
		Options: json.RawMessage(`{"scenarios":{"a":{}}}`),
	}
	got, err := optionsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	want := given
	want.VUs, want.Scenarios = 0, nil // the scenarios of the manifest hold both
	want.Above = []engine.Layer{{{Option: "scenarios", Value: json.RawMessage(`{"a":{}}`), Source: "the manifest"}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Options{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	words := []string{
		"mcpstorm", "run", "a.js", "--seed", "7", "--vus", "24", "--scenario", "a", "--policy", "sim=settle",
		"--era", "both", "--reissue", "spec", "--bug", "FM-01,FM-04", "--turn-latency", "50ms",
	}
	if diff := cmp.Diff(words, arguments(m)); diff != "" {
		t.Errorf("the command (-want +got)\n%s", diff)
	}
}

func TestNoOverrides(t *testing.T) {
	if over := (Options{Script: "a.js"}).overrides(); over != nil {
		t.Errorf("overrides %+v of nothing", over)
	}
	m := &history.Manifest{Script: history.Script{Path: "a.js"}, Options: json.RawMessage(`{}`)}
	if o, err := optionsOf(m); err != nil || o.Above != nil {
		t.Errorf("optionsOf = %+v, %v", o, err)
	}
	m.Options = json.RawMessage(`[`)
	if _, err := optionsOf(m); err == nil {
		t.Error("options that cannot be read are taken")
	}
}

func TestParseHeal(t *testing.T) {
	tests := []struct {
		name, in string
		want     *HealSpec // nil where it is refused
	}{
		{"how long", `"10s"`, &HealSpec{Within: 10 * time.Second}},
		{"when and how long", `{"at":"25s","within":"1m"}`, &HealSpec{At: 25 * time.Second, Within: time.Minute}},
		{"no length", `{"at":"25s"}`, nil},
		{"a number", `10`, nil},
		{"no duration", `"soon"`, nil},
		{"before the arm", `{"at":"-1s","within":"1s"}`, nil},
		{"another key", `{"after":"1s","within":"1s"}`, nil},
		{"nothing", `""`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &Storm{}
			err := s.parseHeal(json.RawMessage(tt.in))
			if (err == nil) != (tt.want != nil) {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if diff := cmp.Diff(tt.want, s.Heal); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
