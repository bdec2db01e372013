package engine_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/engine"
)

// typicalScript has what a scenario script of this project has: a few helper
// functions, own metrics, checks, groups and five calls into a module.
const typicalScript = `import { check, group } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';
import { call } from 'k6/x/probe';
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
export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 512, iterations: 1 } } };
export default function () {
	const transcript = new Transcript();
	group('rollout', () => {
		for (let i = 0; i < 5; i++) {
			speak(transcript, 'user');
			const answer = call('respond');
			turns.add(1);
			failed.add(answer === undefined);
			took.add(i + 0.5, { turn: String(i) });
			check(answer, { 'is told': a => a !== undefined, 'is text': a => typeof a === 'string' });
		}
	});
	check(transcript, { 'whole': t => t.size === 5 });
}
`

func answering() *probe {
	return &probe{on: func(vu *engine.VU, _ string) sobek.Value { return vu.Runtime().ToValue("fine") }}
}

func number(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

func benchProgram(b *testing.B, script string, vus int, iterations int64) *engine.Program {
	b.Helper()
	p, err := engine.Load("main.js", engine.LoadOptions{
		Source: []byte(script), Modules: []engine.Module{answering()},
		Above: []engine.Layer{{{Option: "vus", Value: number(int64(vus))}, {Option: "iterations", Value: number(iterations)}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkLoad is parsing, linking and the first run of the init code.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		benchProgram(b, typicalScript, 1, 1)
	}
}

// BenchmarkRun is a whole run, init of every VU included, per VU.
func BenchmarkRun(b *testing.B) {
	for _, vus := range []int{1, 512} {
		b.Run(fmt.Sprintf("vus=%d", vus), func(b *testing.B) {
			p := benchProgram(b, typicalScript, vus, 1)
			for b.Loop() {
				if _, err := p.Run(b.Context(), engine.RunOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*vus), "ns/VU")
		})
	}
}

// emptyScript does nothing.
const emptyScript = `export const options = { scenarios: { s: { executor: 'per-vu-iterations' } } };
export default function () {}`

// BenchmarkIteration is one iteration after another in one VU.
func BenchmarkIteration(b *testing.B) {
	for name, script := range map[string]string{"empty": emptyScript, "typical": typicalScript} {
		b.Run(name, func(b *testing.B) {
			p := benchProgram(b, script, 1, int64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := p.Run(b.Context(), engine.RunOptions{}); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkMemory reports the live heap and stack of one VU while all of them
// are inside an iteration. The budget for the typical script is 130 KB.
func BenchmarkMemory(b *testing.B) {
	const vus = 5000
	for name, script := range map[string]string{"empty": emptyScript, "typical": typicalScript} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := benchProgram(b, script, vus, 1)
				before := inUse()
				full := make(chan struct{})
				waiting := make(chan struct{})
				go func() {
					for range vus {
						<-waiting
					}
					b.ReportMetric(float64(inUse()-before)/vus/1000, "KB/VU")
					close(full)
				}()
				hooks := engine.Hooks{After: func(*engine.VU, engine.IterationResult) bool {
					waiting <- struct{}{}
					<-full
					return false
				}}
				if _, err := p.Run(b.Context(), engine.RunOptions{Hooks: hooks}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
