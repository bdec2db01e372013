package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"

	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/engine"
)

// typical is a script of the usual size, without its connections: helper
// functions, a class, metrics of its own, groups and checks.
const typical = `import { check, group } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';
import mcp from 'k6/x/mcp';
const turns = new Counter('turns'), failed = new Rate('failed'), took = new Trend('took', true);
class Transcript {
	#lines = [];
	add(role, text) { this.#lines.push({ role, text }); return this.#lines.length; }
	get size() { return this.#lines.length; }
}
const phrases = ['open', 'ask', 'answer', 'thank', 'close'];
function pick(list) { return list[Math.floor(Math.random() * list.length)]; }
function speak(transcript, role) {
	const text = pick(phrases);
	transcript.add(role, text);
	return text;
}
function respond(text) { return { text: JSON.parse(JSON.stringify({ text })).text + '!', finished: false }; }
export const options = { scenarios: { ` + scenarioName + `: { executor: 'per-vu-iterations', vus: 1, iterations: 1 } } };
export default function () {
	const transcript = new Transcript();
	group('rollout', () => {
		for (let i = 0; i < 5; i++) {
			const answer = respond(speak(transcript, 'user'));
			turns.add(1);
			failed.add(typeof mcp.rollout !== 'function');
			took.add(i + 0.5, { turn: String(i) });
			check(answer, { 'is told': a => a !== undefined, 'goes on': a => !a.finished });
		}
	});
	check(transcript, { 'whole': t => t.size === 5 });
}
`

// weighUsers holds virtual users at the end of their first iteration, and weighs
// them together: runtime, script, goroutine and samples, without any connection.
func weighUsers(ctx context.Context, users int) (*weight, error) {
	program, err := engine.Load("typical.js", engine.LoadOptions{
		Source: []byte(typical), Modules: []engine.Module{xk6mcp.New()},
		Above: []engine.Layer{{{Option: "vus", Value: json.RawMessage(strconv.Itoa(users))}}},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	before, goroutines := inUse(), runtime.NumGoroutine()
	var w *weight
	var arrived atomic.Int64
	var failed atomic.Pointer[error]
	release := make(chan struct{})
	hooks := engine.Hooks{After: func(_ *engine.VU, r engine.IterationResult) bool {
		if r.Err != nil {
			failed.Store(&r.Err)
		}
		if n := int64(users); arrived.Add(1) == n {
			w = &weight{
				bytes:      float64(inUse()-before) / float64(n),
				goroutines: float64(runtime.NumGoroutine()-goroutines) / float64(n),
			}
			close(release)
		}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return false
	}}
	_, err = program.Run(ctx, engine.RunOptions{Hooks: hooks})
	if e := failed.Load(); e != nil {
		err = errors.Join(err, *e)
	}
	if err == nil && w == nil {
		err = fmt.Errorf("%d of %d were there", arrived.Load(), users)
	}
	return w, err
}
