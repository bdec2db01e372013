package museum_test

import (
	"strings"
	"testing"

	"mcpstorm/xk6-mcp/run/museum"
)

// rows are exhibits of which so many were caught, and whose twins are clean or not.
func rows(n, caught int, clean bool) []museum.Row {
	list := make([]museum.Row, n)
	for i := range list {
		list[i].ID = "FM-01"
		list[i].Bug = []museum.Shown{{ID: "FM-01", Seed: 1, Caught: i < caught, After: 3, Rollouts: 16}}
		list[i].Twin = []museum.Shown{{ID: "FM-01", Seed: 1, Twin: true, Clean: clean, Verdict: "fail: it rained"}}
	}
	return list
}

func TestAsExpected(t *testing.T) {
	for name, tt := range map[string]struct {
		rows    []museum.Row
		generic bool
		want    bool
		text    string
	}{
		"all caught, all clean":               {rows(3, 3, true), false, true, "3 of 3 caught, 3 of 3 twins clean"},
		"one not caught":                      {rows(3, 2, true), false, false, "NOT CAUGHT with seed 1"},
		"a twin that is not clean":            {rows(3, 3, false), false, false, "NOT CLEAN with seed 1: fail: it rained"},
		"enough for a generic plan":           {rows(23, 20, true), true, true, "20 of 23 caught, 23 of 23 twins clean"},
		"too few for a generic plan":          {rows(23, 19, true), true, false, "19 of 23 caught"},
		"a generic plan with a dirty twin":    {rows(23, 23, false), true, false, "0 of 23 twins clean"},
		"a generic plan over a few of them":   {rows(2, 1, true), true, false, "1 of 2 caught"},
		"enough, and the plan is not generic": {rows(23, 20, true), false, false, "20 of 23 caught"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := museum.AsExpected(tt.rows, museum.Options{Generic: tt.generic}); got != tt.want {
				t.Errorf("as expected: %t", got)
			}
			var b strings.Builder
			if err := museum.Table(&b, tt.rows); err != nil || !strings.Contains(b.String(), tt.text) {
				t.Errorf("%v:\n%s", err, b.String())
			}
		})
	}
}
