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
		{"require is refused", []string{"main.js", `export default () => require('k6')`}, `threw main.js:1:29: Error: engine: cannot run: not supported yet: function "require"; known: __ENV, __VU, __ITER, console, global, open, setTimeout, setInterval, clearTimeout, clearInterval`},
		{"setTimeout", []string{"main.js", `export default () => { setTimeout((a, b) => console.log(a + b), 5, 1, 2); console.log('first') }`}, "first\n3"},
		{"timers in order", []string{"main.js", `export default () => { setTimeout(() => console.log('c'), 9); setTimeout(() => console.log('a'), 3); setTimeout(() => console.log('b'), 3) }`}, "a\nb\nc"},
		{"timers inside timers", []string{"main.js", `export default () => { setTimeout(() => setTimeout(() => console.log('inner')), 1) }`}, "inner"},
		{"setInterval", []string{"main.js", `export default () => { let n = 0; const id = setInterval(() => { console.log(++n); if (n === 3) clearInterval(id) }, 1) }`}, "1\n2\n3"},
		{"clearTimeout", []string{"main.js", `export default () => { clearTimeout(setTimeout(() => console.log('never'), 1)); clearTimeout(99); clearTimeout(); console.log('done') }`}, "done"},
		{"await a timer", []string{"main.js", `import {setTimeout as later} from 'k6/timers'; export default async () => { const v = await new Promise(r => later(() => r('late'), 2)); console.log(v) }`}, "late"},
		{"race of timers", []string{"main.js", `const after = (ms, v) => new Promise(r => setTimeout(() => r(v), ms)); export default async () => { console.log(await Promise.race([after(8, 'slow'), after(1, 'fast')]), (await Promise.all([after(2, 1), after(1, 2)])).join()) }`}, "fast 1,2"},
		{"microtasks go before timers", []string{"main.js", `export default () => { setTimeout(() => console.log('timer'), 0); Promise.resolve().then(() => console.log('job')) }`}, "job\ntimer"},
		{"a timer that throws", []string{"main.js", "export default () => {\n  setTimeout(() => { throw new Error('in a timer') }, 1);\n  setTimeout(() => console.log('never'), 2);\n}"}, "threw main.js:2:28: Error: in a timer"},
		{"a timer rejects", []string{"main.js", `export default () => new Promise((_, no) => setTimeout(() => no(new Error('no')), 1))`}, "threw main.js:1:65: Error: no"},
		{"timers want a function", []string{"main.js", `export default () => setTimeout('code', 1)`}, "threw main.js:1:32: TypeError: setTimeout: want a function, got code"},
		{"a promise lost behind a timer", []string{"main.js", `export default () => { setTimeout(() => console.log('ran'), 1); return new Promise(() => {}) }`}, "ran\nthrew engine: promise never settled"},
		{"open", []string{"main.js", `const text = open('./data/a.txt'); export default () => console.log(text)`, "data/a.txt", "content"}, "content"},
		{"open is relative to the caller", []string{"main.js", `import {text} from './lib/a.js'; export default () => console.log(text)`, "lib/a.js", `export const text = open('a.txt')`, "lib/a.txt", "beside the library"}, "beside the library"},
		{"open from typescript", []string{"lib/main.ts", `const text: string = open('../a.txt'); export default () => console.log(text)`, "a.txt", "up"}, "up"},
		{"open as bytes", []string{"main.js", `const data = open('a.bin', 'b'); export default () => console.log(data instanceof ArrayBuffer, [...new Uint8Array(data)].join())`, "a.bin", "\x00\xff"}, "true 0,255"},
		{"open twice gives two buffers", []string{"main.js", `const a = open('a.bin', 'b'), b = open('a.bin', 'b'); new Uint8Array(a)[0] = 7; export default () => console.log(new Uint8Array(b)[0])`, "a.bin", "\x01"}, "1"},
		{"open that is caught", []string{"main.js", `let text; try { text = open('gone') } catch (e) { text = e.message } export default () => console.log(text)`}, "open gone: file does not exist"},
		{"open in an iteration", []string{"main.js", `export default () => open('a')`}, "threw main.js:1:26: TypeError: open: files can be read in init code only"},
		{"shared array", []string{"main.js", `import {SharedArray} from 'k6/data'; const a = new SharedArray('a', () => [{n: 1}, {n: 2}, 3, undefined]);
			export default () => { let s = 0; for (const x of a) s += x?.n ?? 10; console.log(s, a.length, a[1].n, a[9], a.map(x => typeof x).join(), Array.isArray(a), a instanceof SharedArray) }`}, "23 4 2 undefined object,object,number,object true true"},
		{"shared elements are copies", []string{"main.js", `import {SharedArray} from 'k6/data'; const a = new SharedArray('a', () => [{n: 1}]); export default () => { a[0].n = 5; console.log(a[0].n) }`}, "1"},
		{"shared arrays are read-only", []string{"main.js", `import {SharedArray} from 'k6/data'; const a = new SharedArray('a', () => [1]); export default () => { for (const f of [() => { a[0] = 2 }, () => a.push(3), () => { a.length = 0 }]) try { f(); console.log('changed') } catch (e) { console.log(e.name) } }`}, "TypeError\nTypeError\nTypeError"},
		{"shared arrays of one name", []string{"main.js", `import {SharedArray} from 'k6/data'; const a = new SharedArray('a', () => [1]), b = new SharedArray('a', () => [2]); export default () => console.log(b[0])`}, "1"},
		{"shared array too late", []string{"main.js", `import {SharedArray} from 'k6/data'; export default () => new SharedArray('a', () => [])`}, "threw main.js:1:59: TypeError: new SharedArray: shared arrays must be made in init code"},
		{"base64", []string{"main.js", `import encoding from 'k6/encoding'; export default () => console.log(encoding.b64encode('hi?>'), encoding.b64encode('hi?>', 'rawurl'), encoding.b64decode('aGk_Pg', 'rawurl', 's'), encoding.b64encode(new Uint8Array([1, 2]).buffer))`}, "aGk/Pg== aGk_Pg hi?> AQI="},
		{"base64 to bytes", []string{"main.js", `import {b64decode} from 'k6/encoding'; export default () => console.log(new Uint8Array(b64decode('AQI=')).join())`}, "1,2"},
		{"base64 refuses", []string{"main.js", `import {b64decode} from 'k6/encoding'; export default () => b64decode('!')`}, "threw main.js:1:70: TypeError: b64decode: illegal base64 data at input byte 0"},
		{"base64 of no alphabet", []string{"main.js", `import {b64encode} from 'k6/encoding'; export default () => b64encode('a', 'hex')`}, `threw main.js:1:70: TypeError: b64encode: want one of std, rawstd, url, rawurl, got "hex"`},
		{"execution", []string{"main.js", `import exec, {vu} from 'k6/execution'; export default () => console.log(exec.scenario.name, exec.scenario.executor, exec.scenario.iterationInTest, vu.idInTest, vu.iterationInScenario, exec.instance.vusInitialized, exec.instance.iterationsCompleted, exec.test.options.scenarios.default.iterations)`}, "default shared-iterations 0 1 0 1 0 1"},
		{"execution in init code", []string{"main.js", `import exec from 'k6/execution'; let why; try { exec.scenario.name } catch (e) { why = e.message } export default () => console.log(exec.vu.idInTest, why)`}, "1 exec.scenario is not known in init code, setup and teardown"},
		{"execution is read-only", []string{"main.js", `import exec from 'k6/execution'; export default () => { exec.vu.idInTest = 7 }`}, "threw main.js:1:65: TypeError: Cannot assign to read only property 'idInTest'"},
		{"metadata is refused", []string{"main.js", `import exec from 'k6/execution'; export default () => exec.vu.metrics.metadata`}, "threw main.js:1:71: Error: engine: cannot run: not supported yet: exec.vu.metrics.metadata; known: exec.vu.metrics.tags"},
		{"a tag that is none", []string{"main.js", `import exec from 'k6/execution'; export default () => { exec.vu.metrics.tags.a = {} }`}, "threw main.js:1:78: TypeError: exec.vu.metrics.tags.a: want a string, a number or a boolean, got [object Object]"},
		{"export as", []string{"main.js", `import {two} from './a.js'; export default () => console.log(two)`, "a.js", `const x = 2; export {x as two}`}, "2"},
		{"export star as", []string{"main.js", `import {ns} from './a.js'; export default () => console.log(ns.b)`, "a.js", `export * as ns from './b.js'`, "b.js", `export const b = 'b'`}, "b"},
		{"live bindings", []string{"main.js", `import {n, up} from './a.js'; export default () => { up(); console.log(n) }`, "a.js", `export let n = 1; export const up = () => n++`}, "2"},
		{"import attributes", []string{"main.js", `import j from './d.json' with {type: 'json'}; export default () => console.log(j.length)`, "d.json", `[1, 2]`}, "2"},
		{"a json array", []string{"main.js", `import j from './d.json'; export default () => console.log(j.map(x => x * 2).join())`, "d.json", `[1, 2]`}, "2,4"},
		{"template tags and spread", []string{"main.js", "const tag = (s, ...v) => s.raw.join('|') + v; export default () => console.log(tag`a${1}b${2}`, Math.max(...[1, 3]), {...{a: 1}, b: 2})"}, `a|b|1,2 3 {"a":1,"b":2}`},
		{"generators and destructuring", []string{"main.js", `function* g() { yield* [1, 2]; return 3 } export default () => { const [a, ...rest] = g(); const {x = 5} = {}; console.log(a, rest, x) }`}, "1 [2] 5"},
		{"optional chaining and assignment", []string{"main.js", `export default () => { let a = null; a ??= {}; a.n ||= 4; console.log(a?.n, a.f?.(), a.b?.c) }`}, "4 undefined undefined"},
		{"maps, sets and symbols", []string{"main.js", `export default () => console.log([...new Map([['a', 1]])].join(), new Set([1, 1]).size, Symbol('s').description)`}, "a,1 1 s"},
		{"array methods", []string{"main.js", `export default () => console.log([3, 1, 2].toSorted().join(), [1, [2]].flat().length, [1, 2].at(-1), [1, 2].findLast(x => x < 2), Object.hasOwn({a: 1}, 'a'))`}, "1,2,3 2 2 1 true"},
		{"big integers and separators", []string{"main.js", `export default () => console.log(String(2n ** 64n), 1_000)`}, "18446744073709551616 1000"},
		{"regular expressions", []string{"main.js", `export default () => console.log('a1b2'.replaceAll(/\d/g, '#'), [...'x1y2'.matchAll(/[a-z](\d)/g)].map(m => m[1]).join(), /(?<=\$)\d+/.exec('$42')[0])`}, "a#b# 1,2 42"},
		{"getters, setters and proxies", []string{"main.js", `export default () => { const p = new Proxy({}, {get: (_, k) => 'p' + k}); class C { static get v() { return 'v' } } console.log(p.x, C.v) }`}, "px v"},
		{"promise combinators", []string{"main.js", `export default async () => { const r = await Promise.allSettled([1, Promise.reject(2)]); console.log(r.map(x => x.status).join(), await Promise.any([Promise.reject(1), 5])) }`}, "fulfilled,rejected 5"},
		{"error with a cause", []string{"main.js", `export default () => { try { throw new Error('a', {cause: 'b'}) } catch (e) { console.log(e.message, e.cause) } }`}, "a b"},
		{"dates come from the clock", []string{"main.js", `export default () => console.log(typeof Date.now(), new Date(0).toISOString())`}, "number 1970-01-01T00:00:00.000Z"},
		{"typed arrays", []string{"main.js", `export default () => console.log(new Float64Array([1.5])[0], new DataView(new ArrayBuffer(4)).getInt32(0))`}, "1.5 0"},
		{"typescript classes", []string{"main.ts", `abstract class A<T> { constructor(protected readonly v: T) {} abstract get(): T } class B extends A<number> { get() { return this.v satisfies number } } namespace N { export const k = 1 } export default () => console.log(new B(8).get(), N.k)`}, "8 1"},
		{"typescript imports javascript", []string{"main.ts", `import type {T} from './t.ts'; import {a} from './a.js'; export default () => { const v: T = a; console.log(v) }`, "a.js", "export const a = 'js'"}, "js"},
		{"hashbang", []string{"main.js", "#!/usr/bin/env mcpstorm\nexport default () => console.log('ok')"}, "ok"},
		{"using", []string{"main.js", `Symbol.dispose ??= Symbol('dispose'); export default () => { { using r = {[Symbol.dispose]() { console.log('disposed') }}; } console.log('after') }`}, "disposed\nafter"},
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
		{"missing name of a module", []string{"main.js", "import {chk} from 'k6'"}, `main.js:1:19: SyntaxError: "k6" exports no "chk"; it exports check, default, fail, group, randomSeed, sleep; did you mean "check"?`},
		{"missing file", []string{"main.js", "import './gone.js'"}, "main.js:1:8: import: open gone.js: file does not exist"},
		{"k6/http", []string{"main.js", "import http from 'k6/http'"}, `not supported yet: module "k6/http" at main.js:1:18; known: k6, k6/data, k6/encoding, k6/execution, k6/metrics, k6/timers, ./relative/path.js; requests go through a module of the program that runs the script`},
		{"experimental", []string{"main.js", "import x from 'k6/experimental/redis'"}, "; nothing experimental is there"},
		{"mistyped module", []string{"main.js", "import x from 'k6/metric'"}, `; did you mean "k6/metrics"?`},
		{"forgot the dot", []string{"main.js", "import x from 'lib/a.js'", "lib/a.js", ""}, `; did you mean "./lib/a.js"?`},
		{"mistyped file", []string{"main.js", "import x from './lib/hepler.js'", "lib/helper.js", ""}, `main.js:1:15: import: open lib/hepler.js: file does not exist; did you mean "helper.js"?`},
		{"forgot the extension", []string{"main.js", "import x from './lib/help'", "lib/help.js", ""}, `; did you mean "help.js"?`},
		{"mistyped function", []string{"main.js", "export const options = {scenarios: {x: {executor: 'shared-iterations', exec: 'wrok'}}}; export function work() {}"}, `exports no function "wrok"; did you mean "work"?`},
		{"timers in init", []string{"main.js", "setTimeout(() => {}, 1)"}, "setTimeout must not be called in init code"},
		{"abort in init", []string{"main.js", "import exec from 'k6/execution'; try { exec.test.abort('no data') } catch (e) {}"}, "engine: aborted by the script: no data"},
		{"fail in init", []string{"main.js", "import exec from 'k6/execution'; exec.test.fail()"}, "exec.test.fail is not known in init code"},
		{"shared array of no array", []string{"main.js", "import {SharedArray} from 'k6/data'; new SharedArray('a', () => ({}))"}, `SharedArray "a": want the function to return an array, got [object Object]`},
		{"shared array inside another", []string{"main.js", "import {SharedArray} from 'k6/data'; new SharedArray('a', () => new SharedArray('b', () => []))"}, `SharedArray "b": must not be made inside the function of another`},
		{"shared array that throws", []string{"main.js", "import {SharedArray} from 'k6/data'; new SharedArray('a', () => { throw new Error('bad data') })"}, "Error: bad data"},
		{"open of a strange mode", []string{"main.js", "open('main.js', 'w')"}, `open: want no mode or "b", got "w"`},
		{"remote", []string{"main.js", "import 'https://example.com/a.js'"}, `./relative/path.js; nothing is fetched from the network: save the file beside the script and import it by a relative path`},
		{"bad json", []string{"main.js", "import a from './a.json'", "a.json", "{"}, "a.json: unexpected end of JSON input"},
		{"overflow", []string{"main.js", "const f = () => f(); f()"}, "main.js:1:18: RangeError: maximum call stack size exceeded"},
		{"check in init", []string{"main.js", "import {check} from 'k6'; check(1, {})"}, "check must not be called in init code"},
		{"add in init", []string{"main.js", "import {Counter} from 'k6/metrics'; new Counter('c').add(1)"}, `metric "c": add must not be called in init code`},
		{"metric of two types", []string{"main.js", "import {Counter, Trend} from 'k6/metrics'; new Counter('m'); new Trend('m', true)"}, `metric "m": declared as a trend of times, was a counter`},
		{"metric name", []string{"main.js", "import {Counter} from 'k6/metrics'; new Counter('a b')"}, `metric "a b": want a letter`},
		{"handleSummary is no function", []string{"main.js", "export default () => {}; export const handleSummary = {}"}, `export "handleSummary" is not a function`},
		{"open of nothing", []string{"main.js", "open('x')"}, "main.js:1:5: Error: open x: file does not exist"},
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
