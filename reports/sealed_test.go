package reports_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// A history whose files cannot be held against anything is said to be so.
func TestUnsealedIsSaid(t *testing.T) {
	for _, unsealed := range []bool{false, true} {
		var out strings.Builder
		if err := reports.Terminal(&out, history.Verdict{}, &history.Run{Dir: "runs/a", Unsealed: unsealed}, reports.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(out.String(), "not sealed:"); said != unsealed {
			t.Errorf("unsealed %v is said: %v\n%s", unsealed, said, out.String())
		}
	}
}
