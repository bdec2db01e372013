package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/engine"
)

// draws runs a script and returns what every iteration returned, by number.
func draws(t *testing.T, root seed.Root, script string) map[int64]string {
	t.Helper()
	p, err := files(t, engine.LoadOptions{Seed: root}, "main.js", script)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	got := make(map[int64]string)
	run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(vu *engine.VU, r engine.IterationResult) bool {
		mu.Lock()
		defer mu.Unlock()
		got[vu.Iteration().InTest] = r.Value.String()
		return false
	}}})
	return got
}

func TestMathRandomFollowsTheIteration(t *testing.T) {
	script := func(vus int) string {
		return fmt.Sprintf(`export const options = {vus: %d, iterations: 64};
			export default () => [Math.random(), Math.random()].join()`, vus)
	}
	one, many := draws(t, 1, script(1)), draws(t, 1, script(16))
	if diff := cmp.Diff(one, many); diff != "" {
		t.Errorf("the numbers depend on the scheduling: %s", diff)
	}
	other := draws(t, 2, script(1))
	distinct := make(map[string]bool)
	for n, v := range one {
		distinct[v] = true
		if other[n] == v {
			t.Errorf("iteration %d draws the same numbers from another seed", n)
		}
	}
	if len(distinct) != len(one) {
		t.Errorf("%d distinct draws in %d iterations", len(distinct), len(one))
	}
	stream := seed.Root(1).Stream("math.random", "default", "5")
	if want := fmt.Sprintf("%v,%v", stream.Float64(), stream.Float64()); one[5] != want {
		t.Errorf("iteration 5 drew %s, want %s", one[5], want)
	}
}

func TestRandomSeed(t *testing.T) {
	inIteration := draws(t, 1, `import {randomSeed} from 'k6'; export const options = {iterations: 3};
		export default () => { if (__ITER < 2) randomSeed(7); return Math.random() }`)
	if inIteration[0] != inIteration[1] || inIteration[2] == inIteration[1] {
		t.Errorf("%v: want it to last for one iteration", inIteration)
	}
	inInit := draws(t, 1, `import {randomSeed} from 'k6'; randomSeed(7); export const options = {iterations: 2};
		export default () => Math.random()`)
	if inInit[0] != inIteration[0] || inInit[1] == inInit[0] {
		t.Errorf("%v: want one sequence for the VU's whole life", inInit)
	}
}
