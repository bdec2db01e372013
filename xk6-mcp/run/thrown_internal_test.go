package run

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

func TestThrown(t *testing.T) {
	var all thrown
	for _, arm := range []string{"control", "control", "main"} {
		all.add(arm, &history.RolloutCause{Text: "TypeError: no x\nmore", At: "a.js:3:7"})
	}
	all.add("main", nil)
	want := []string{"3 × a.js:3:7: TypeError: no x (2 in arm control, 1 in arm main)", "1 × an error without a cause"}
	if diff := cmp.Diff(want, all.lines()); diff != "" {
		t.Error(diff)
	}
	for i := range 2 * thrownKinds {
		all.add("main", &history.RolloutCause{Text: fmt.Sprint("another ", i)})
	}
	if n := len(all.lines()); n != thrownKinds {
		t.Errorf("%d lines, want %d", n, thrownKinds)
	}
}
