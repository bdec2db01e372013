package plan_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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
		{
			"defaults", `[{"on":"sim","cut":"C4"}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 1, Attempts: 2}},
		},
		{
			"all of a share rule", `[{"on":"tools","cut":"C1","manner":"fin","at":"initialize","share":0.15,"attempts":1}]`,
			[]plan.Rule{{ID: "r01", On: "tools", Cut: "C1", Manner: "fin", At: "initialize", Share: 0.15, Attempts: 1}},
		},
		{
			"listed", `[{"on":"sim","cut":"C6"},{"on":"sim","op":"t000017/s02","attempt":2,"cut":"C3","manner":"fin","at":"settle"}]`,
			[]plan.Rule{
				{ID: "r01", On: "sim", Cut: "C6", Manner: "rst", At: "call", Share: 1, Attempts: 2},
				{ID: "r02", On: "sim", Cut: "C3", Manner: "fin", At: "settle", Op: "t000017/s02", Attempt: 2},
			},
		},
		{
			"window of time", `[{"on":"sim","cut":"C4","during":["5s","25s"]}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 1, Attempts: 2, During: plan.Window{From: 5 * time.Second, To: 25 * time.Second}}},
		},
		{
			"window from the beginning", `[{"on":"sim","op":"t1/s02","cut":"C1","during":["0s","1m30s"]}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C1", Manner: "rst", At: "call", Op: "t1/s02", Attempt: 1, During: plan.Window{To: 90 * time.Second}}},
		},
		{
			"window at the start", `[{"on":"sim","cut":"C4","during":"start"}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 1, Attempts: 2, During: plan.Window{Start: true}}},
		},
		{
			"bursts", `[{"on":"sim","burst":{"at":"8s"}},{"on":"tools","burst":{"at":"250ms","what":"half"},"manner":"fin"},{"on":"sim","burst":{"at":"0s","what":0.3}}]`,
			[]plan.Rule{
				{ID: "r01", On: "sim", Cut: "burst", Manner: "rst", BurstAt: 8 * time.Second, Share: 1},
				{ID: "r02", On: "tools", Cut: "burst", Manner: "fin", BurstAt: 250 * time.Millisecond, Share: 0.5},
				{ID: "r03", On: "sim", Cut: "burst", Manner: "rst", Share: 0.3},
			},
		},
		{
			"burst that holds", `[{"on":"sim","burst":{"at":"8s"},"manner":"hold","for":"5s"}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "burst", Manner: "hold", Detail: plan.Detail{For: 5 * time.Second}, BurstAt: 8 * time.Second, Share: 1}},
		},
		{
			"late clean-up", `[{"on":"sim","cut":"C8","manner":"late","for":"2s"}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C8", Manner: "late", Detail: plan.Detail{For: 2 * time.Second}, At: "delete", Share: 1, Attempts: 2}},
		},
		{
			"front end over the answer", `[{"on":"sim","status":{"code":503,"when":"after","retryAfter":"2s"}}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Cut: "C4", Manner: "status", Detail: plan.Detail{Code: 503, RetryAfter: 2 * time.Second}, At: "call", Share: 1, Attempts: 2}},
		},
		{
			"toxic", `[{"on":"sim","toxic":"latency","stream":"upstream","attributes":{"latency":200}}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Toxic: "latency", Stream: "upstream", Toxicity: 1, Attributes: map[string]any{"latency": 200.0}}},
		},
		{
			"toxic in a window", `[{"on":"sim","toxic":"latency","attributes":{"latency":200},"during":["5s","25s"]}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Toxic: "latency", Stream: "downstream", Toxicity: 1, Attributes: map[string]any{"latency": 200.0}, During: plan.Window{From: 5 * time.Second, To: 25 * time.Second}}},
		},
		{
			"toxic with a toxicity", `[{"on":"sim","toxic":"latency","attributes":{"latency":200},"toxicity":0.5}]`,
			[]plan.Rule{{ID: "r01", On: "sim", Toxic: "latency", Stream: "downstream", Toxicity: 0.5, Attributes: map[string]any{"latency": 200.0}}},
		},
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

// refusal is a plan that must be refused, by a kind of error and in some words.
type refusal struct {
	name, in string
	kind     error
	says     []string
}

func refuses(t *testing.T, tests []refusal) {
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

func TestParseRefuses(t *testing.T) {
	refuses(t, []refusal{
		{"no list", `{"on":"sim"}`, plan.ErrRule, []string{"storm.faults"}},
		{"no on", `[{"cut":"C4"}]`, plan.ErrRule, []string{"storm.faults[0]", "no on", "sim, tools"}},
		{"null on", `[{"on":null,"cut":"C4"}]`, plan.ErrRule, []string{"on null"}},
		{"unknown server", `[{"on":"simm","cut":"C4"}]`, plan.ErrRule, []string{`"simm"`, "sim, tools"}},
		{"no cut", `[{"on":"sim"}]`, plan.ErrRule, []string{"no cut, status, burst, idle, accept, kill or toxic", "C1, C2"}},
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
		{"toxic of the proxy's own", `[{"on":"sim","toxic":"noop"}]`, plan.ErrRule, []string{`"noop"`}},
		{"unknown attribute", `[{"on":"sim","toxic":"latency","attributes":{"delay":1}}]`, plan.ErrRule, []string{"delay"}},
		{"attribute of another type", `[{"on":"sim","toxic":"latency","attributes":{"latency":"1s"}}]`, plan.ErrRule, []string{"1s"}},
		{"pieces of nothing", `[{"on":"sim","toxic":"slicer"}]`, plan.ErrRule, []string{"storm.faults[0]", "average_size", "want 1 or more"}},
		{"pieces that vary by more than they hold", `[{"on":"sim","toxic":"slicer","attributes":{"average_size":10,"size_variation":10}}]`, plan.ErrRule, []string{"size_variation", "less than average_size"}},
		{"attribute below nothing", `[{"on":"sim","toxic":"latency","attributes":{"latency":-1}}]`, plan.ErrRule, []string{"latency", "-1"}},
		{"attribute beyond all bounds", `[{"on":"sim","toxic":"latency","attributes":{"jitter":5000000000000000000}}]`, plan.ErrRule, []string{"jitter", "at most 1000000000000"}},
		{"null attribute", `[{"on":"sim","toxic":"latency","attributes":{"latency":null}}]`, plan.ErrRule, []string{"latency"}},
		{"negative attribute", `[{"on":"sim","toxic":"latency","attributes":{"latency":-5}}]`, plan.ErrRule, []string{"-5"}},
		{"unknown stream", `[{"on":"sim","toxic":"latency","stream":"both"}]`, plan.ErrRule, []string{`"both"`, "downstream, upstream"}},
		{"toxicity of nothing", `[{"on":"sim","toxic":"latency","attributes":{"latency":5},"toxicity":0}]`, plan.ErrRule, []string{"toxicity 0 can never act"}},
		{"latency of nothing", `[{"on":"sim","toxic":"latency","attributes":{"latency":0}}]`, plan.ErrRule, []string{"can never act with latency and jitter of 0"}},
		{"delay of nothing", `[{"on":"sim","toxic":"slow_close"}]`, plan.ErrRule, []string{"can never act with delay of 0"}},
		{"share of nothing", `[{"on":"sim","cut":"C4","share":0}]`, plan.ErrRule, []string{"share 0 can never act", "faults: []"}},
		{"ramp of nothing", `[{"on":"sim","cut":"C4","share":[0,0],"during":["0s","5s"]}]`, plan.ErrRule, []string{"share 0 can never act"}},
		{"burst of nothing", `[{"on":"sim","burst":{"at":"0s","what":0}}]`, plan.ErrRule, []string{"what 0 can never act"}},
		{"share of no idle connection", `[{"on":"sim","idle":"10ms","share":0}]`, plan.ErrRule, []string{"share 0 can never act"}},
		{"share of no kill", `[{"on":"sim","kill":{"after":"commit"},"share":0}]`, plan.ErrRule, []string{"share 0 can never act"}},
		{"toxicity above one", `[{"on":"sim","toxic":"latency","toxicity":2}]`, plan.ErrRule, []string{"toxicity 2"}},
		{"window of one time", `[{"on":"sim","cut":"C4","during":["5s"]}]`, plan.ErrRule, []string{`during ["5s"]`, `"start"`}},
		{"window of numbers", `[{"on":"sim","cut":"C4","during":[5,25]}]`, plan.ErrRule, []string{"during [5,25]"}},
		{"window of no times", `[{"on":"sim","cut":"C4","during":["5","25s"]}]`, plan.ErrRule, []string{`during "5"`}},
		{"window before the arm", `[{"on":"sim","cut":"C4","during":["-1s","25s"]}]`, plan.ErrRule, []string{`during "-1s"`}},
		{"window the wrong way round", `[{"on":"sim","cut":"C4","during":["25s","5s"]}]`, plan.ErrRule, []string{`["25s","5s"]`}},
		{"empty window", `[{"on":"sim","cut":"C4","during":["5s","5s"]}]`, plan.ErrRule, []string{`["5s","5s"]`}},
		{"unknown window", `[{"on":"sim","cut":"C4","during":"end"}]`, plan.ErrRule, []string{`"end"`}},
		{"null window", `[{"on":"sim","cut":"C4","during":null}]`, plan.ErrRule, []string{"during null"}},
		{"start of a toxic", `[{"on":"sim","toxic":"latency","during":"start"}]`, plan.ErrRule, []string{`during "start"`, "two times"}},
		{"window of a burst", `[{"on":"sim","burst":{"at":"8s"},"during":"start"}]`, plan.ErrRule, []string{`"during"`, "burst"}},
		{"null burst", `[{"on":"sim","burst":null}]`, plan.ErrRule, []string{"burst null"}},
		{"burst as a time", `[{"on":"sim","burst":"8s"}]`, plan.ErrRule, []string{`burst "8s"`}},
		{"burst at no time", `[{"on":"sim","burst":{"what":"all"}}]`, plan.ErrRule, []string{"storm.faults[0].burst", "no at"}},
		{"burst at a number", `[{"on":"sim","burst":{"at":8}}]`, plan.ErrRule, []string{"at 8"}},
		{"burst before the arm", `[{"on":"sim","burst":{"at":"-8s"}}]`, plan.ErrRule, []string{`at "-8s"`}},
		{"burst at several times", `[{"on":"sim","burst":{"at":["8s","9s"]}}]`, plan.ErrRule, []string{`at ["8s","9s"]`}},
		{"burst of an unknown share", `[{"on":"sim","burst":{"at":"8s","what":"most"}}]`, plan.ErrRule, []string{`"most"`, "all, half"}},
		{"burst of too much", `[{"on":"sim","burst":{"at":"8s","what":1.5}}]`, plan.ErrRule, []string{"what 1.5"}},
		{"burst of nothing said", `[{"on":"sim","burst":{"at":"8s","what":null}}]`, plan.ErrRule, []string{"what null"}},
		{"unknown key of a burst", `[{"on":"sim","burst":{"at":"8s","manner":"fin"}}]`, plan.ErrRule, []string{`"manner"`, "at, what"}},
		{"burst with a cut", `[{"on":"sim","burst":{"at":"8s"},"cut":"C4"}]`, plan.ErrRule, []string{`"cut"`}},
		{"burst as a cut", `[{"on":"sim","cut":"burst"}]`, plan.ErrRule, []string{`cut "burst"`}},
		{"listed burst", `[{"on":"sim","burst":{"at":"8s"},"op":"t1/s02"}]`, plan.ErrRule, []string{`"op"`, "burst rule"}},
		{"sweep in a list", `[{"on":"sim","sweep":true}]`, plan.ErrRule, []string{"a plan of its own"}},
		{"every bad rule is named", `[{"on":"sim"},{"on":"sim","cut":"C4"},{"cut":"C4"}]`, plan.ErrRule, []string{"faults[0]", "faults[2]"}},
	})
}

func TestRecords(t *testing.T) {
	rules, err := plan.Parse(json.RawMessage(`[
		{"on":"sim","cut":"C4","share":0.15},
		{"on":"sim","op":"t000001/s02","cut":"C1","manner":"fin"},
		{"on":"tools","toxic":"latency","attributes":{"latency":5,"jitter":2}},
		{"on":"sim","cut":"C4","during":["5s","90s"]},
		{"on":"sim","op":"t000001/s02","cut":"C1","during":"start"},
		{"on":"sim","burst":{"at":"8s","what":"half"}}]`), servers)
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
		{
			Arm: "main", Rule: "r03", On: "tools", Toxic: "latency", Stream: "downstream", Toxicity: 1,
			Attributes: map[string]any{"latency": 5.0, "jitter": 2.0}, NotSeeded: true,
		},
		{Arm: "main", Rule: "r04", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 1, Attempts: 2, During: []string{"5s", "1m30s"}},
		{Arm: "main", Rule: "r05", On: "sim", Cut: "C1", Manner: "rst", At: "call", Op: "t000001/s02", Attempt: 1, During: []string{"start"}},
		{Arm: "main", Rule: "r06", On: "sim", Cut: "burst", Manner: "rst", Share: 0.5, During: []string{"8s"}},
	}
	if diff := cmp.Diff(want, p.Records("main")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"on":"sim","cut":"C4","share":0.5}]`))
	f.Add([]byte(`[{"on":"sim","op":"t1/s02","attempt":1,"cut":"C1"},{"on":"sim","toxic":"latency","attributes":{"latency":1}}]`))
	f.Add([]byte(`[{"on":"sim","cut":"C1","during":["1s","2s"]},{"on":"tools","burst":{"at":"8s","what":0.5},"manner":"fin"}]`))
	f.Add([]byte(`{"sweep":{"on":"sim","ops":["s02"],"cuts":["C1","C5"],"manners":["rst"],"attempts":3}}`))
	f.Add([]byte(`[{"on":"sim","status":{"code":503,"when":"after","retryAfter":"2s"},"share":[0,0.3],"during":["1s","2s"],"first":3,"tool":"respond"}]`))
	f.Add([]byte(`[{"on":"sim","cut":"C4","manner":"hold","for":"5s","way":"down"},{"on":"sim","cut":"C8","at":"get","manner":"late","for":"1s"}]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		rules, err := plan.Parse(in, servers)
		if err != nil && !errors.Is(err, plan.ErrRule) && !errors.Is(err, plan.ErrUnsupported) {
			t.Fatalf("an error of no kind: %v", err)
		}
		for _, r := range rules {
			if r.Toxic == "" && r.Sweep == nil && (r.Cut == "" || r.Manner == "" || (r.At == "") != slices.Contains([]string{plan.CutBurst, plan.CutIdle, plan.CutAccept}, r.Cut)) {
				t.Fatalf("an unresolved rule: %+v", r)
			}
		}
	})
}
