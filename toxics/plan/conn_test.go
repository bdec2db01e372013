package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/toxics/plan"
)

func TestParseFaultsOfConnections(t *testing.T) {
	tests := []struct {
		name, in string
		want     plan.Rule
	}{
		{
			"idle", `[{"on":"sim","idle":"200ms"}]`,
			plan.Rule{ID: "r01", On: "sim", Cut: "idle", Manner: "fin", IdleAfter: 200 * time.Millisecond, Share: 1},
		},
		{
			"all of idle", `[{"on":"sim","idle":"2s","jitter":"20ms","manner":"hold","share":0.5,"for":"1m","during":["1s","9s"]}]`,
			plan.Rule{
				ID: "r01", On: "sim", Cut: "idle", Manner: "hold", IdleAfter: 2 * time.Second, Jitter: 20 * time.Millisecond, Share: 0.5,
				Detail: plan.Detail{For: time.Minute}, During: plan.Window{From: time.Second, To: 9 * time.Second},
			},
		},
		{
			"accept", `[{"on":"sim","accept":{"at":"8s","for":"2s"},"manner":"rst"}]`,
			plan.Rule{ID: "r01", On: "sim", Cut: "accept", Manner: "rst", BurstAt: 8 * time.Second, Detail: plan.Detail{For: 2 * time.Second}, Share: 1},
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

func TestParseRefusesFaultsOfConnections(t *testing.T) {
	refuses(t, []refusal{
		{"idle for no time", `[{"on":"sim","idle":"0s"}]`, plan.ErrRule, []string{"idle", "0s"}},
		{"idle by a status", `[{"on":"sim","idle":"1s","manner":"status"}]`, plan.ErrRule, []string{`"status"`, "forget"}},
		{"more jitter than time", `[{"on":"sim","idle":"1s","jitter":"2s"}]`, plan.ErrRule, []string{"jitter 2s"}},
		{"idle at a role", `[{"on":"sim","idle":"1s","at":"call"}]`, plan.ErrRule, []string{`"at"`}},
		{"idle at the start", `[{"on":"sim","idle":"1s","during":"start"}]`, plan.ErrRule, []string{"two times"}},
		{"a length of a close", `[{"on":"sim","idle":"1s","for":"1s"}]`, plan.ErrRule, []string{"for"}},
		{"accept without a length", `[{"on":"sim","accept":{"at":"1s"}}]`, plan.ErrRule, []string{"no for"}},
		{"accept in order", `[{"on":"sim","accept":{"at":"1s","for":"1s"},"manner":"fin"}]`, plan.ErrRule, []string{`"fin"`}},
		{"accept of a share", `[{"on":"sim","accept":{"at":"1s","for":"1s","what":"half"}}]`, plan.ErrRule, []string{`"what"`}},
	})
}

// TestIdleTimes draws idle times: they are the seed's, within their bounds, and
// differ between connections and from one time to the next.
func TestIdleTimes(t *testing.T) {
	rule := plan.Rule{ID: "r01", On: "sim", Cut: plan.CutIdle, Manner: plan.FIN, IdleAfter: 100, Jitter: 20, Share: 0.5}
	idle := func() plan.Idle {
		p, err := plan.New([]plan.Rule{rule}, 7, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.Idles("sim")[0]
	}
	a, b := idle(), idle()
	chosen, times := 0, map[time.Duration]bool{}
	for conn := range int64(1000) {
		for n := range 3 {
			got, ok := a.Of(conn, n)
			again, okAgain := b.Of(conn, n)
			if got != again || ok != okAgain {
				t.Fatalf("connection %d, %d: %v %v, then %v %v", conn, n, got, ok, again, okAgain)
			}
			if !ok {
				continue
			}
			chosen++
			times[got] = true
			if got < 80 || got > 120 {
				t.Errorf("%v is not within 100±20", got)
			}
		}
	}
	if chosen < 3*400 || chosen > 3*600 || len(times) < 20 {
		t.Errorf("%d of 3000 chosen, %d different times", chosen, len(times))
	}
	if p, _ := plan.New([]plan.Rule{rule}, 7, nil); len(p.Idles("tools")) != 0 || len(p.Stalls("sim")) != 0 {
		t.Error("the rule acts on more than its server")
	}
}

func TestEndOfFaultsOfConnections(t *testing.T) {
	stall := plan.Rule{ID: "r01", On: "sim", Cut: plan.CutAccept, Manner: plan.Hold, BurstAt: 8 * time.Second, Detail: plan.Detail{For: 2 * time.Second}}
	if end, err := plan.End([]plan.Rule{stall}); end != 10*time.Second || err != nil {
		t.Errorf("End = %v, %v", end, err)
	}
	if _, err := plan.EndBy([]plan.Rule{stall}, 9*time.Second); err == nil {
		t.Error("a stall that outlasts the heal is let through")
	}
	if rules, err := plan.EndBy([]plan.Rule{stall}, 10*time.Second); err != nil || len(rules) != 1 {
		t.Errorf("EndBy = %v, %v", rules, err)
	}
}
