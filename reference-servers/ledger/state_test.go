package ledger_test

import (
	"testing"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
)

// TestStateAfterACommit: a repeat of put leaves the state as it was, and a repeat of
// append, which FM-24 calls idempotent too, never does.
func TestStateAfterACommit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		calls [][2]string // tool, arguments
		same  bool        // the state after the last is that after the first
	}{
		{"append again", [][2]string{{"append", `{"op":"o","text":"x"}`}, {"append", `{"op":"o","text":"x"}`}}, false},
		{"put again", [][2]string{{"put", `{"op":"o","key":"k","value":"v"}`}, {"put", `{"op":"o","key":"k","value":"v"}`}}, true},
		{"put another value", [][2]string{{"put", `{"op":"o","key":"k","value":"v"}`}, {"put", `{"op":"p","key":"k","value":"w"}`}}, false},
		{"put back", [][2]string{
			{"put", `{"op":"o","key":"k","value":"v"}`}, {"put", `{"op":"p","key":"k","value":"w"}`}, {"put", `{"op":"q","key":"k","value":"v"}`},
		}, true},
		{"the same words, cut elsewhere", [][2]string{{"put", `{"op":"o","key":"ab","value":"c"}`}, {"put", `{"op":"p","key":"a","value":"bc"}`}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, refserver.Config{Bugs: []string{"FM-24"}})
			for _, call := range tt.calls {
				if result, err := b.Call(t.Context(), rollout, call[0], call[1]); err != nil || result.IsError {
					t.Fatalf("%s: %+v (%v)", call[0], result, err)
				}
			}
			var states []string
			for _, e := range b.List() {
				if e.Kind == history.EffectCommit {
					states = append(states, e.State)
				}
			}
			if same := states[0] == states[len(states)-1]; same != tt.same || states[0] == "" {
				t.Errorf("states %q", states)
			}
		})
	}
}
