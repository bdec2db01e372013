package plan_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

var servers = []string{"tools", "sim"}

func TestParse(t *testing.T) {
	tests := []struct {
		name, in string
		want     []plan.Rule
	}{
		{"nothing", ``, nil},
		{"null", `null`, nil},
		{"empty", `[]`, nil},
		{"defaults", `[{"on":"sim","cut":"C4"}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 1, Attempts: 2}}},
		{"all of a share rule", `[{"on":"tools","cut":"C1","manner":"fin","at":"initialize","share":0.15,"attempts":1}]`,
			[]plan.Rule{{ID: "r01", On: "tools", Cut: "C1", Manner: "fin", At: "initialize", Share: 0.15, Attempts: 1}}},
		{"listed", `[{"on":"sim","cut":"C6"},{"on":"sim","op":"t000017/s02","attempt":2,"cut":"C3","manner":"fin","at":"settle"}]`,
			[]plan.Rule{
				{ID: "r01", On: "sim", Cut: "C6", Manner: "rst", At: "call", Share: 1, Attempts: 2},
				{ID: "r02", On: "sim", Cut: "C3", Manner: "fin", At: "settle", Op: "t000017/s02", Attempt: 2},
			}},
		{"toxic", `[{"on":"sim","toxic":"latency","stream":"upstream","attributes":{"latency":200}}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Toxic: "latency", Stream: "upstream", Toxicity: 1, Attributes: map[string]any{"latency": 200.0}}}},
		{"toxic with a toxicity", `[{"on":"sim","toxic":"latency","toxicity":0.5}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Toxic: "latency", Stream: "downstream", Toxicity: 0.5}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.Parse(json.RawMessage(tt.in), servers)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, in string
		kind     error
		says     []string
	}{
		{"no list", `{"on":"sim"}`, plan.ErrRule, []string{"storm.faults"}},
		{"no on", `[{"cut":"C4"}]`, plan.ErrRule, []string{"storm.faults[0]", "no on", "sim, tools"}},
		{"null on", `[{"on":null,"cut":"C4"}]`, plan.ErrRule, []string{"on null"}},
		{"unknown server", `[{"on":"simm","cut":"C4"}]`, plan.ErrRule, []string{`"simm"`, "sim, tools"}},
		{"no cut", `[{"on":"sim"}]`, plan.ErrRule, []string{"no cut or toxic", "C1, C2"}},
		{"unknown key", `[{"on":"sim","cut":"C4","shares":0.5}]`, plan.ErrRule, []string{`"shares"`, "0.5", "share, attempts"}},
		{"key in another case", `[{"on":"sim","Cut":"C4"}]`, plan.ErrRule, []string{`"Cut"`}},
		{"unknown cut", `[{"on":"sim","cut":"C9"}]`, plan.ErrRule, []string{`cut "C9"`, "C5, C6"}},
		{"cut of another type", `[{"on":"sim","cut":4}]`, plan.ErrRule, []string{"cut 4"}},
		{"unknown manner", `[{"on":"sim","cut":"C4","manner":"RST"}]`, plan.ErrRule, []string{`manner "RST"`, "fin, rst"}},
		{"unknown at", `[{"on":"sim","cut":"C4","at":"ping"}]`, plan.ErrRule, []string{`at "ping"`, "initialize"}},
		{"share above one", `[{"on":"sim","cut":"C4","share":1.5}]`, plan.ErrRule, []string{"share 1.5"}},
		{"share below zero", `[{"on":"sim","cut":"C4","share":-0.1}]`, plan.ErrRule, []string{"share -0.1"}},
		{"share as a text", `[{"on":"sim","cut":"C4","share":"15%"}]`, plan.ErrRule, []string{`"15%"`}},
		{"no attempts", `[{"on":"sim","cut":"C4","attempts":0}]`, plan.ErrRule, []string{"attempts 0"}},
		{"half an attempt", `[{"on":"sim","cut":"C4","attempts":1.5}]`, plan.ErrRule, []string{"attempts 1.5"}},
		{"bad op", `[{"on":"sim","cut":"C4","op":"t1.2/s02"}]`, plan.ErrRule, []string{`"t1.2/s02"`}},
		{"bad attempt", `[{"on":"sim","cut":"C4","op":"t1/s02","attempt":0}]`, plan.ErrRule, []string{"attempt 0"}},
		{"share of a listed fault", `[{"on":"sim","cut":"C4","op":"t1/s02","share":1}]`, plan.ErrRule, []string{`"share"`, "listed"}},
		{"cut with a toxic", `[{"on":"sim","cut":"C4","toxic":"latency"}]`, plan.ErrRule, []string{`"cut"`}},
		{"unknown toxic", `[{"on":"sim","toxic":"lag"}]`, plan.ErrRule, []string{`"lag"`, "latency"}},
		{"toxic not there yet", `[{"on":"sim","toxic":"bandwidth"}]`, plan.ErrUnsupported, []string{`"bandwidth"`}},
		{"toxic that must not be", `[{"on":"sim","toxic":"reset_peer"}]`, plan.ErrUnsupported, []string{`"reset_peer"`}},
		{"unknown attribute", `[{"on":"sim","toxic":"latency","attributes":{"delay":1}}]`, plan.ErrRule, []string{"delay"}},
		{"attribute of another type", `[{"on":"sim","toxic":"latency","attributes":{"latency":"1s"}}]`, plan.ErrRule, []string{"1s"}},
		{"null attribute", `[{"on":"sim","toxic":"latency","attributes":{"latency":null}}]`, plan.ErrRule, []string{"latency"}},
		{"negative attribute", `[{"on":"sim","toxic":"latency","attributes":{"latency":-5}}]`, plan.ErrRule, []string{"-5"}},
		{"unknown stream", `[{"on":"sim","toxic":"latency","stream":"both"}]`, plan.ErrRule, []string{`"both"`, "downstream, upstream"}},
		{"toxicity above one", `[{"on":"sim","toxic":"latency","toxicity":2}]`, plan.ErrRule, []string{"toxicity 2"}},
		{"window", `[{"on":"sim","cut":"C4","during":["5s","25s"]}]`, plan.ErrUnsupported, []string{`"during"`}},
		{"burst", `[{"on":"sim","burst":{"at":"8s"}}]`, plan.ErrUnsupported, []string{`"burst"`}},
		{"sweep", `[{"on":"sim","sweep":true}]`, plan.ErrUnsupported, []string{`"sweep"`}},
		{"refused connection", `[{"on":"sim","cut":"C0"}]`, plan.ErrUnsupported, []string{`"C0"`}},
		{"clean-up", `[{"on":"sim","cut":"C8"}]`, plan.ErrUnsupported, []string{`"C8"`}},
		{"black hole", `[{"on":"sim","cut":"C4","manner":"hold"}]`, plan.ErrUnsupported, []string{`"hold"`}},
		{"every bad rule is named", `[{"on":"sim"},{"on":"sim","cut":"C4"},{"cut":"C4"}]`, plan.ErrRule, []string{"faults[0]", "faults[2]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules, err := plan.Parse(json.RawMessage(tt.in), servers)
			if !errors.Is(err, tt.kind) || rules != nil {
				t.Fatalf("Parse = %v, %v; want %v", rules, err, tt.kind)
			}
			for _, word := range tt.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		})
	}
}

func TestRecords(t *testing.T) {
	rules, err := plan.Parse(json.RawMessage(`[
		{"on":"sim","cut":"C4","share":0.15},
		{"on":"sim","op":"t000001/s02","cut":"C1","manner":"fin"},
		{"on":"tools","toxic":"latency","attributes":{"latency":5,"jitter":2}}]`), servers)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(rules, 1, map[int]string{0: "default"})
	if err != nil {
		t.Fatal(err)
	}
	want := []history.PlanRule{
		{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 0.15, Attempts: 2},
		{Arm: "main", Rule: "r02", On: "sim", Cut: "C1", Manner: "fin", At: "call", Op: "t000001/s02", Attempt: 1},
		{Arm: "main", Rule: "r03", On: "tools", Toxic: "latency", Stream: "downstream", Toxicity: 1,
			Attributes: map[string]any{"latency": 5.0, "jitter": 2.0}, NotSeeded: true},
	}
	if diff := cmp.Diff(want, p.Records("main")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"on":"sim","cut":"C4","share":0.5}]`))
	f.Add([]byte(`[{"on":"sim","op":"t1/s02","attempt":1,"cut":"C1"},{"on":"sim","toxic":"latency","attributes":{"latency":1}}]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		rules, err := plan.Parse(in, servers)
		if err != nil && !errors.Is(err, plan.ErrRule) && !errors.Is(err, plan.ErrUnsupported) {
			t.Fatalf("an error of no kind: %v", err)
		}
		for _, r := range rules {
			if r.Toxic == "" && (r.Cut == "" || r.Manner == "" || r.At == "") {
				t.Fatalf("an unresolved rule: %+v", r)
			}
		}
	})
}
