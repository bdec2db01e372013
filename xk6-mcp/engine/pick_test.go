package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/xk6-mcp/engine"
)

func TestPick(t *testing.T) {
	tests := []struct {
		name, options string
		pick          map[string][]int64
		want          []int64
	}{
		{"one of many VUs", `{ scenarios: { a: { executor: 'per-vu-iterations', vus: 8, iterations: 2 } } }`, map[string][]int64{"a": {11}}, []int64{11}},
		{"several of a shared count", `{ scenarios: { a: { executor: 'shared-iterations', vus: 2, iterations: 9 } } }`, map[string][]int64{"a": {7, 3, 5}}, []int64{3, 5, 7}},
		{"an arrival", `{ scenarios: { a: { executor: 'constant-arrival-rate', rate: 5, duration: '3s', preAllocatedVUs: 2 } } }`, map[string][]int64{"a": {0, 14}}, []int64{0, 14}},
		{"none of a scenario", `{ scenarios: { a: { executor: 'per-vu-iterations', vus: 8, iterations: 2 } } }`, map[string][]int64{"b": {1}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			program, err := engine.Load("pick.js", engine.LoadOptions{Source: []byte("export const options = " + tt.options + "; export default function () {}")})
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var got []int64
			result, err := program.Run(context.Background(), engine.RunOptions{
				Pick: tt.pick,
				Hooks: engine.Hooks{Before: func(vu *engine.VU) {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, vu.Iteration().InTest)
				}},
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if s := result.Scenarios[0]; s.Planned != int64(len(tt.want)) || s.Started != s.Planned {
				t.Errorf("planned %d and started %d of %d", s.Planned, s.Started, len(tt.want))
			}
		})
	}
}
