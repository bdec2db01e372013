package engine_test

import (
	"slices"
	"strings"
	"testing"
)

// snippet is a set of files, the first of which is run once, and what it prints.
type snippet struct {
	name  string
	files []string
	want  string
}

// TestConformance runs snippets of the dialect and compares what they print.
func TestConformance(t *testing.T) {
	for _, tt := range slices.Concat(languageSnippets, builtinSnippets) {
		t.Run(tt.name, func(t *testing.T) {
			if got := printed(t, tt.files...); got != tt.want {
				t.Errorf("printed\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestLoadErrors says for each script that cannot be loaded what must be said.
func TestLoadErrors(t *testing.T) {
	tests := []snippet{
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
