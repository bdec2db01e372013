package engine_test

import (
	"strings"
	"testing"
)

// TestConformance runs snippets of the dialect and compares what they print.
func TestConformance(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"default function", []string{"main.js", `export default function () { console.log('hi', 1, true) }`}, "hi 1 true"},
		{"arrow default", []string{"main.js", `export default () => { console.log('hi') }`}, "hi"},
		{"async default", []string{"main.js", `export default async function () { await null; console.log('later') }`}, "later"},
		{"objects print as JSON", []string{"main.js", `export default () => console.log({a: [1, null]}, new Error('e'), undefined)`}, `{"a":[1,null]} Error: e undefined`},
		{"levels", []string{"main.js", `export default () => { console.warn('w'); console.error('e'); console.info('i') }`}, "warn: w\nerror: e\ni"},
		{"named import", []string{"main.js", `import {a as b} from './lib/a.js'; export default () => console.log(b)`, "lib/a.js", `export const a = 1`}, "1"},
		{"relative to the importer", []string{
			"main.js", `import {c} from './lib/b.js'; export default () => console.log(c)`,
			"lib/b.js", `export {c} from '../c.js'`, "c.js", `export const c = 'c'`,
		}, "c"},
		{"namespace", []string{"main.js", `import * as ns from './a.js'; export default () => console.log(Object.keys(ns).join())`, "a.js", `export const x = 1; export function y() {}`}, "x,y"},
		{"export star", []string{"main.js", `import {x} from './a.js'; export default () => console.log(x)`, "a.js", `export * from './b.js'`, "b.js", `export let x = 'star'`}, "star"},
		{"cycle", []string{
			"main.js", `import {a} from './a.js'; export default () => console.log(a())`,
			"a.js", `import {b} from './b.js'; export const a = () => 'a' + b()`, "b.js", `import {a} from './a.js'; export const b = () => typeof a`,
		}, "afunction"},
		{"json", []string{"main.js", `import j from './d.json'; export default () => console.log(j.k[1])`, "d.json", `{"k": [1, "two"]}`}, "two"},
		{"typescript", []string{"main.ts", `enum E { A = 3 } const f = (x: number): string => String(x as any); export default function (): void { console.log(f(E.A)) }`}, "3"},
		{"destructured export", []string{"main.js", `export const {a: z} = {a: 5}; export default () => console.log(z)`}, "5"},
		{"async generator", []string{"main.js", `async function* g() { yield 1; yield 2 } export default async () => { let s = 0; for await (const x of g()) s += x; console.log(s) }`}, "3"},
		{"top-level await", []string{"main.js", `const v = await Promise.resolve(4); export default () => console.log(v)`}, "4"},
		{"private fields", []string{"main.js", `class C { #x = 1; static { this.y = 2 } get x() { return this.#x ?? 0 } } export default () => console.log(new C().x, C.y)`}, "1 2"},
		{"namespace of a built-in", []string{"main.js", `import * as k6 from 'k6'; export default () => console.log(typeof k6.check)`}, "function"},
		{"default of a built-in", []string{"main.js", `import k6 from 'k6'; import metrics from 'k6/metrics'; export default () => console.log(typeof k6.sleep, typeof metrics.Trend)`}, "function function"},
		{"globals", []string{"main.js", `export default () => console.log(__VU, __ITER, Object.keys(__ENV).length, global === globalThis)`}, "1 0 0 true"},
		{"check", []string{"main.js", `import {check} from 'k6'; export default () => console.log(check(3, {odd: v => v % 2 === 1}), check(3, {even: v => v % 2 === 0, yes: true}))`}, "true false"},
		{"group returns", []string{"main.js", `import {group} from 'k6'; export default () => console.log(group('a', () => group('b', () => 7)))`}, "7"},
		{"check throws on async", []string{"main.js", `import {check} from 'k6'; export default () => check(1, {a: async () => false})`}, `threw main.js:1:53: TypeError: check "a": an async function is not supported, its promise would always count as true`},
		{"group throws on async", []string{"main.js", `import {group} from 'k6'; export default () => group('g', async () => 1)`}, `threw main.js:1:53: TypeError: group "g": an async function is not supported`},
		{"group refuses the separator", []string{"main.js", `import {group} from 'k6'; export default () => group('a::b', () => 1)`}, `threw main.js:1:53: TypeError: group: the name must not contain "::", got "a::b"`},
		{"fail", []string{"main.js", "import {fail} from 'k6';\nexport default () => {\n  fail('no');\n}"}, "threw main.js:3:7: Error: no"},
		{"sleep refuses text", []string{"main.js", `import {sleep} from 'k6'; export default () => sleep('soon')`}, "threw main.js:1:53: TypeError: sleep: want a number of seconds, got soon"},
		{"throw a string", []string{"main.js", `export default () => { throw 'text' }`}, "threw main.js:1:24: text"},
		{"position in an import", []string{"main.js", `import {f} from './a.js'; export default () => f()`, "a.js", "export function f() {\n  null.x;\n}"}, "threw a.js:2:8: TypeError: Cannot read property 'x' of undefined"},
		{"position in typescript", []string{"main.ts", "interface I { a: number }\nconst i: I = { a: 1 };\nexport default function () {\n  throw new Error('ts ' + i.a);\n}"}, "threw main.ts:4:9: Error: ts 1"},
		{"rejected promise", []string{"main.js", "export default async () => {\n  throw new Error('async');\n}"}, "threw main.js:2:9: Error: async"},
		{"unhandled rejection", []string{"main.js", `export default () => { Promise.reject(new Error('lost')) }`}, "threw main.js:1:39: Error: lost"},
		{"handled rejection", []string{"main.js", `export default () => { Promise.reject(new Error('x')).catch(e => console.log('caught', e.message)) }`}, "caught x"},
		{"never settles", []string{"main.js", `export default () => new Promise(() => {})`}, "threw engine: promise never settled"},
		{"timers are refused", []string{"main.js", `export default () => setTimeout(() => {}, 1)`}, `threw main.js:1:32: Error: engine: cannot run: not supported yet: function "setTimeout"; known: __ENV, __VU, __ITER, console, global`},
		{"import() is refused", []string{"main.js", `export default async () => { await import('./a.js') }`}, `threw main.js:1:42: Error: engine: cannot run: not supported yet: import("./a.js"); known: import … from`},
		{"metric refuses text", []string{"main.js", `import {Counter} from 'k6/metrics'; const c = new Counter('c'); export default () => c.add('x')`}, `threw main.js:1:91: TypeError: metric "c": want a finite number or a boolean, got x`},
		{"metric refuses late birth", []string{"main.js", `import {Counter} from 'k6/metrics'; export default () => new Counter('c')`}, "threw main.js:1:58: TypeError: new Counter: metrics must be declared in init code"},
		{"metric refuses a stranger", []string{"main.js", `import {Counter} from 'k6/metrics'; const c = new Counter('c'); export default () => c.add.call({}, 1)`}, "threw main.js:1:96: TypeError: add: called on something that is no metric"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := printed(t, tt.files...); got != tt.want {
				t.Errorf("printed\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestLoadErrors says for each script that cannot be loaded what must be said.
func TestLoadErrors(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"syntax", []string{"main.js", "let a = 1;\nlet b = ;\n"}, "main.js:2:9: SyntaxError: Unexpected \";\""},
		{"syntax in an import", []string{"main.js", "import './a.js'", "a.js", "export const = 1"}, "a.js:1:14: SyntaxError"},
		{"declared twice", []string{"main.js", "let a;\nlet a;"}, "main.js:2:5: SyntaxError"},
		{"init throws", []string{"main.js", "const x = 1;\nundefinedThing();"}, "main.js:2:15: ReferenceError: undefinedThing is not defined"},
		{"init never settles", []string{"main.js", "await new Promise(() => {})"}, "promise never settled: top-level await"},
		{"init rejects", []string{"main.js", "Promise.reject(new Error('lost'))"}, "main.js:1:16: Error: lost"},
		{"top-level await rejects", []string{"main.js", "await Promise.reject(new Error('lost'))"}, "Error: lost"},
		{"module of the import throws", []string{"main.js", "import './a.js'", "a.js", "\nthrow new TypeError('t')"}, "a.js:2:7: TypeError: t"},
		{"missing name of a file", []string{"main.js", "\nimport {b} from './a.js'", "a.js", "export const a = 1"}, `main.js:2:17: SyntaxError: "./a.js" exports no "b"; it exports a`},
		{"missing name of a module", []string{"main.js", "import {chk} from 'k6'"}, `main.js:1:19: SyntaxError: "k6" exports no "chk"; it exports check, default, fail, group, randomSeed, sleep`},
		{"missing file", []string{"main.js", "import './gone.js'"}, "main.js:1:8: import: open gone.js: file does not exist"},
		{"k6/http", []string{"main.js", "import http from 'k6/http'"}, `not supported yet: module "k6/http" at main.js:1:18; known: k6, k6/metrics, ./relative/path.js`},
		{"remote", []string{"main.js", "import 'https://example.com/a.js'"}, `not supported yet: module "https://example.com/a.js"`},
		{"bad json", []string{"main.js", "import a from './a.json'", "a.json", "{"}, "a.json: unexpected end of JSON input"},
		{"overflow", []string{"main.js", "const f = () => f(); f()"}, "main.js:1:18: RangeError: maximum call stack size exceeded"},
		{"check in init", []string{"main.js", "import {check} from 'k6'; check(1, {})"}, "check must not be called in init code"},
		{"add in init", []string{"main.js", "import {Counter} from 'k6/metrics'; new Counter('c').add(1)"}, `metric "c": add must not be called in init code`},
		{"metric of two types", []string{"main.js", "import {Counter, Trend} from 'k6/metrics'; new Counter('m'); new Trend('m', true)"}, `metric "m": declared as a trend of times, was a counter`},
		{"metric name", []string{"main.js", "import {Counter} from 'k6/metrics'; new Counter('a b')"}, `metric "a b": want a letter`},
		{"handleSummary", []string{"main.js", "export default () => {}; export function handleSummary() {}"}, `not supported yet: export "handleSummary"`},
		{"open", []string{"main.js", "open('x')"}, "not supported yet: function \"open\""},
		{"no default", []string{"main.js", "export const a = 1"}, `scenario "default": the script exports no function "default"`},
		{"setup is no function", []string{"main.js", "export default () => {}; export const setup = 1"}, `export "setup" is not a function`},
		{"circular export", []string{"main.js", "export default () => {}; export const a = {}; a.a = a"}, `export "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := printed(t, tt.files...)
			if !strings.HasPrefix(got, "load: ") || !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
