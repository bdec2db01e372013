package engine_test

import (
	"context"
	"fmt"
	"os"

	"mcpstorm/xk6-mcp/engine"
)

// A program is loaded once and can be run many times.
func Example() {
	script := `
		import { check } from 'k6';
		export const options = {
			scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 4, iterations: 2 } },
			thresholds: { checks: ['rate==1'] },
		};
		export function setup() { console.log('ready'); return { answer: 42 } }
		export default function (data) { check(data, { 'is known': d => d.answer === 42 }) }`
	p, err := engine.Load("rollouts.js", engine.LoadOptions{Source: []byte(script), Console: os.Stdout})
	if err != nil {
		fmt.Println(err)
		os.Exit(engine.ExitCode(err))
	}
	result, err := p.Run(context.Background(), engine.RunOptions{})
	fmt.Println(result.Scenarios[0].Completed, "of", result.Scenarios[0].Planned, "completed, error:", err)
	fmt.Println(result.Thresholds[0].Expr, result.Thresholds[0].OK)
	// Output:
	// ready
	// 8 of 8 completed, error: <nil>
	// rate==1 true
}
