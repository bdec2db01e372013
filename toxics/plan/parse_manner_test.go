package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

func TestParseMannersAndScopes(t *testing.T) {
	ramp := plan.Window{From: 5 * time.Second, To: 25 * time.Second, Ramp: true, High: 0.3}
	tests := []struct {
		name, in string
		want     plan.Rule
	}{
		{"withheld", `{"on":"sim","cut":"C3w"}`, plan.Rule{Cut: "C3w", Manner: "hold"}},
		{"withheld, then reset", `{"on":"sim","cut":"C3w","manner":"rst"}`, plan.Rule{Cut: "C3w", Manner: "rst"}},
		{"one way for a time", `{"on":"sim","cut":"C4","manner":"hold","for":"5s","way":"down"}`, plan.Rule{Cut: "C4", Manner: "hold", Detail: plan.Detail{For: 5 * time.Second, Way: "down"}}},
		{"one leg", `{"on":"sim","cut":"C4","manner":"fin","leg":"client"}`, plan.Rule{Cut: "C4", Manner: "fin", Detail: plan.Detail{Leg: "client"}}},
		{"a status as a number", `{"on":"sim","status":421}`, plan.Rule{Cut: "C1", Manner: "status", Detail: plan.Detail{Code: 421}}},
		{"a status at once after forwarding", `{"on":"sim","cut":"C3","manner":"status","status":{"code":504}}`, plan.Rule{Cut: "C3", Manner: "status", Detail: plan.Detail{Code: 504}}},
		{"a redirect", `{"on":"sim","status":{"code":307,"location":"/r/elsewhere/mcp"}}`, plan.Rule{Cut: "C1", Manner: "status", Detail: plan.Detail{Code: 307, Location: "/r/elsewhere/mcp"}}},
		{"a clean-up stream", `{"on":"sim","cut":"C8","at":"get"}`, plan.Rule{Cut: "C8", Manner: "rst", At: "get"}},
		{"one tool, the first operations", `{"on":"sim","cut":"C4","tool":"append","first":4}`, plan.Rule{Cut: "C4", Manner: "rst", Tool: "append", First: 4}},
		{"a ramp", `{"on":"sim","cut":"C4","share":[0,0.3],"during":["5s","25s"]}`, plan.Rule{Cut: "C4", Manner: "rst", Share: 0.3, During: ramp}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plan.Parse(json.RawMessage("["+tt.in+"]"), servers)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			want.ID, want.On, want.Attempts = "r01", "sim", 2
			if want.At == "" {
				want.At = history.RoleCall
			}
			if want.Share == 0 {
				want.Share = 1
			}
			if diff := cmp.Diff([]plan.Rule{want}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseRefusesWhatCannotOccur(t *testing.T) {
	refuses(t, []refusal{
		{"a status for half a request", `[{"on":"sim","cut":"C2","status":500}]`, plan.ErrRule, []string{"C2 by status at call cannot occur", "has read the whole request"}},
		{"a status over a head", `[{"on":"sim","cut":"C6","status":500}]`, plan.ErrRule, []string{"head of the answer has been given"}},
		{"an answer of no connection", `[{"on":"sim","cut":"C0","status":500}]`, plan.ErrRule, []string{"refused carries no answer"}},
		{"late, with nothing withheld", `[{"on":"sim","cut":"C5","manner":"late","for":"1s"}]`, plan.ErrRule, []string{"C5 by late", "nothing is withheld"}},
		{"a clean-up that is none", `[{"on":"sim","cut":"C8","at":"call"}]`, plan.ErrRule, []string{"clean-up exchange: delete or get"}},
		{"half of no body", `[{"on":"sim","cut":"C6","at":"initialized"}]`, plan.ErrRule, []string{"C6 by rst at initialized", "no body"}},
		{"a status of no code", `[{"on":"sim","cut":"C1","manner":"status"}]`, plan.ErrRule, []string{"without a status"}},
		{"a status in another manner", `[{"on":"sim","cut":"C1","manner":"rst","status":503}]`, plan.ErrRule, []string{"a manner of its own"}},
		{"a status that none gives", `[{"on":"sim","status":418}]`, plan.ErrRule, []string{"418"}},
		{"a status as a text", `[{"on":"sim","status":"503"}]`, plan.ErrRule, []string{`status "503"`}},
		{"a status of nothing", `[{"on":"sim","status":{}}]`, plan.ErrRule, []string{"status: no code"}},
		{"a status with another key", `[{"on":"sim","status":{"code":503,"retry-after":"2s"}}]`, plan.ErrRule, []string{`"retry-after"`, `did you mean "retryAfter"`}},
		{"a status at no time", `[{"on":"sim","status":{"code":503,"when":"later"}}]`, plan.ErrRule, []string{`when "later"`}},
		{"before, and after all", `[{"on":"sim","cut":"C4","status":{"code":503,"when":"before"}}]`, plan.ErrRule, []string{"cut C4 with a status before forwarding"}},
		{"after, and before all", `[{"on":"sim","cut":"C1","status":{"code":503,"when":"after"}}]`, plan.ErrRule, []string{"cut C1 with a status after forwarding"}},
		{"come back in half a second", `[{"on":"sim","status":{"code":503,"retryAfter":"500ms"}}]`, plan.ErrRule, []string{"whole seconds"}},
		{"come back to a gateway", `[{"on":"sim","status":{"code":502,"retryAfter":"2s"}}]`, plan.ErrRule, []string{"429 and 503"}},
		{"late by nothing said", `[{"on":"sim","cut":"C4","manner":"late"}]`, plan.ErrRule, []string{"cut C4, manner late without for", "for: '2s'"}},
		{"a reset for a time", `[{"on":"sim","cut":"C4","for":"5s"}]`, plan.ErrRule, []string{"for 5s"}},
		{"a hold for nothing", `[{"on":"sim","cut":"C4","manner":"hold","for":"0s"}]`, plan.ErrRule, []string{`for "0s"`}},
		{"a hold without end", `[{"on":"sim","cut":"C4","manner":"hold","for":"25h"}]`, plan.ErrRule, []string{"at most 24h"}},
		{"an unknown way", `[{"on":"sim","cut":"C4","manner":"hold","way":"both"}]`, plan.ErrRule, []string{"both"}},
		{"a tool of no call", `[{"on":"sim","cut":"C4","at":"list","tool":"append"}]`, plan.ErrRule, []string{"only a call names a tool"}},
		{"no tool", `[{"on":"sim","cut":"C4","tool":""}]`, plan.ErrRule, []string{`tool ""`}},
		{"the first none", `[{"on":"sim","cut":"C4","first":0}]`, plan.ErrRule, []string{"first 0"}},
		{"a ramp without a window", `[{"on":"sim","cut":"C4","share":[0,0.3]}]`, plan.ErrRule, []string{"needs a window of two times"}},
		{"a ramp at the start", `[{"on":"sim","cut":"C4","share":[0,0.3],"during":"start"}]`, plan.ErrRule, []string{"needs a window of two times"}},
		{"a ramp of three", `[{"on":"sim","cut":"C4","share":[0,0.3,0],"during":["1s","2s"]}]`, plan.ErrRule, []string{"share [0,0.3,0]"}},
		{"a ramp beyond all", `[{"on":"sim","cut":"C4","share":[0,1.3],"during":["1s","2s"]}]`, plan.ErrRule, []string{"share 1.3"}},
		{"a server misspelt", `[{"on":"tool","cut":"C4"}]`, plan.ErrRule, []string{`did you mean "tools"`}},
	})
}

// TestMarksOfNarrowRules asks which of a rollout's exchanges a tool and a number of
// first operations leave.
func TestMarksOfNarrowRules(t *testing.T) {
	narrow := share("r01", 1)
	narrow.Tool, narrow.First = "append", 3
	p := newPlan(t, 1, narrow)
	for _, tt := range []struct {
		step, tool string
		want       bool
	}{
		{"s02", "append", true},
		{"s03", "append", true},
		{"s04", "append", false},
		{"s02", "settle", false},
		{"s02", "", false},
		{"s30", "append", false},
		{"strange", "append", false},
	} {
		x := call("t000001", tt.step, 1)
		x.Tool = tt.tool
		if _, ok := p.Decide(x); ok != tt.want {
			t.Errorf("%s of %q: marked %v, want %v", tt.step, tt.tool, ok, tt.want)
		}
	}
}

// TestRampArmsWhatItHasReached holds a ramp to its share: of the marks of the whole,
// those are armed whose own draw the share has reached, whatever the order.
func TestRampArmsWhatItHasReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low, high := rapid.Float64Range(0, 1).Draw(t, "low"), rapid.Float64Range(0, 1).Draw(t, "high")
		r := share("r01", max(low, high))
		r.During = plan.Window{From: 10 * time.Second, To: 20 * time.Second, Ramp: true, Low: low, High: high}
		p := newPlan(t, seed.Root(rapid.Uint64().Draw(t, "root")), r)
		at := time.Duration(rapid.Int64Range(int64(10*time.Second), int64(20*time.Second)-1).Draw(t, "at"))
		reached := low + (high-low)*float64(at-10*time.Second)/float64(10*time.Second)
		for i := range int64(100) {
			x := call(wire.TaskID(0, i), "s02", 1)
			d, marked := p.Decide(x)
			if armed := marked && p.Window("r01").Armed(at, "s02", d.Draw); armed != (marked && d.Draw < reached) {
				t.Fatalf("%v at %v: armed %v, drawn %v, share %v", x.Ref, at, armed, d.Draw, reached)
			}
			if again, _ := p.Decide(x); again != d {
				t.Fatalf("%v is decided differently the second time", x.Ref)
			}
		}
	})
}
