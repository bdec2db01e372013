package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

// TestRecall kills nothing, and opens a second ledger with what the first recorded.
func TestRecall(t *testing.T) {
	for _, tt := range []struct {
		name    string
		durable bool
		texts   []string
		state   string // of the operation that was executed before
	}{
		{"durable", true, []string{"x", "y", "z"}, "done"},
		{"volatile", false, []string{"z"}, "voided"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var record servertest.Effects
			first := start(t, refserver.Config{Durable: tt.durable, Effects: &record})
			first.change(t, "append", `{"op":"a","text":"x","nonce":"n1"}`)
			first.change(t, "put", `{"op":"p","key":"k","value":"v"}`)
			first.change(t, "append", `{"op":"b","text":"y"}`)
			first.settle(t, "late")
			whole := first.settle(t, "a")

			second := start(t, refserver.Config{Durable: tt.durable, Past: record.List()})
			if tt.durable {
				if text := second.fails(t, "append", `{"op":"late","text":"no"}`); text != `Error executing tool append: op "late": voided by settle` {
					t.Errorf("what was voided before: %s", text)
				}
				if diff := cmp.Diff(whole, second.settle(t, "a")); diff != "" {
					t.Errorf("what was done before (-before +after)\n%s", diff)
				}
			}
			if s := second.settle(t, "b"); s.State != tt.state {
				t.Errorf("%+v, want it %s", s, tt.state)
			}
			second.change(t, "append", `{"op":"c","text":"z"}`)
			if diff := cmp.Diff(tt.texts, second.texts(t, rollout)); diff != "" {
				t.Errorf("entries (-want +got)\n%s", diff)
			}
		})
	}
}
