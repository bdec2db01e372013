package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/toxics/plan"
)

func TestParseKills(t *testing.T) {
	down := plan.Detail{For: 300 * time.Millisecond}
	tests := []struct {
		name, in string
		want     plan.Rule
	}{
		{
			"after a commit", `[{"on":"sim","kill":{"after":"commit"}}]`,
			plan.Rule{ID: "r01", On: "sim", Cut: "kill", Manner: "rst", At: "call", Share: 1, Attempts: 2},
		},
		{
			"a share", `[{"on":"sim","kill":{"after":"commit","down":"300ms"},"share":0.1,"tool":"append","first":4,"attempts":1,"during":["1s","2s"]}]`,
			plan.Rule{
				ID: "r01", On: "sim", Cut: "kill", Manner: "rst", Detail: down, At: "call", Share: 0.1, Attempts: 1, Tool: "append", First: 4,
				During: plan.Window{From: time.Second, To: 2 * time.Second},
			},
		},
		{
			"listed", `[{"on":"sim","kill":{"after":"commit","down":"300ms"},"op":"t000017/s02","attempt":2}]`,
			plan.Rule{ID: "r01", On: "sim", Cut: "kill", Manner: "rst", Detail: down, At: "call", Op: "t000017/s02", Attempt: 2},
		},
		{
			"at a time", `[{"on":"sim","kill":{"at":"5s","down":"300ms"}}]`,
			plan.Rule{ID: "r01", On: "sim", Cut: "kill", Manner: "rst", Detail: down, BurstAt: 5 * time.Second, Share: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.Parse(json.RawMessage(tt.in), servers)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]plan.Rule{tt.want}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseRefusesKills(t *testing.T) {
	refuses(t, []refusal{
		{"neither", `[{"on":"sim","kill":{"down":"1s"}}]`, plan.ErrRule, []string{"after: 'commit'", "at"}},
		{"both", `[{"on":"sim","kill":{"after":"commit","at":"1s"}}]`, plan.ErrRule, []string{"said once"}},
		{"no object", `[{"on":"sim","kill":"commit"}]`, plan.ErrRule, []string{`"commit"`, "object"}},
		{"after something else", `[{"on":"sim","kill":{"after":"comit"}}]`, plan.ErrRule, []string{`"comit"`, "commit"}},
		{"a key beside", `[{"on":"sim","kill":{"after":"commit","for":"1s"}}]`, plan.ErrRule, []string{`"for"`, "down"}},
		{"down for no time", `[{"on":"sim","kill":{"after":"commit","down":"0s"}}]`, plan.ErrRule, []string{"down", "0s"}},
		{"a manner", `[{"on":"sim","kill":{"after":"commit"},"manner":"fin"}]`, plan.ErrRule, []string{`"manner"`}},
		{"where nothing is committed", `[{"on":"sim","kill":{"after":"commit"},"at":"initialize"}]`, plan.ErrRule, []string{"initialize", "call, settle"}},
		{"a share of a time", `[{"on":"sim","kill":{"at":"1s"},"share":0.5}]`, plan.ErrRule, []string{`"share"`}},
		{"a share of one exchange", `[{"on":"sim","kill":{"after":"commit"},"op":"t000001/s02","share":0.5}]`, plan.ErrRule, []string{`"share"`}},
	})
}

// TestKillsAmongBursts: a kill at a time comes in its turn, and one for an exchange
// is a mark.
func TestKillsAmongBursts(t *testing.T) {
	rules, err := plan.Parse(json.RawMessage(`[{"on":"sim","kill":{"at":"5s","down":"1s"}},{"on":"sim","burst":{"at":"2s"}},{"on":"sim","kill":{"after":"commit"}}]`), servers)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(rules, 1, map[int]string{0: "default"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range p.Bursts("sim") {
		got = append(got, b.Rule+" "+b.Cut())
	}
	if diff := cmp.Diff([]string{"r02 burst", "r01 kill"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if end, err := plan.End(rules[:2]); err != nil || end != 6*time.Second {
		t.Errorf("the last fault is over at %v (%v), want 6s", end, err)
	}
}
