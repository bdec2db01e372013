package xk6mcp_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpstorm/history"
)

// TestMisuse: each mistake is one TypeError that says what was meant.
func TestMisuse(t *testing.T) {
	tests := []struct{ name, call, want string }{
		{"a server that is not there", `rollout.connect('wikki')`, `storm.servers has no "wikki"; it has: sim, wiki; did you mean "wiki"?`},
		{"no server", `rollout.connect()`, `connect needs the name of a server`},
		{"a server by number", `rollout.connect(1)`, `connect needs the name of a server`},
		{"a policy that is not there", `rollout.connect('wiki', { policy: 'setle' })`, `did you mean "settle"?`},
		{"a key of connect", `rollout.connect('wiki', { header: {} })`, `connect knows no "header"; known: policy, headers, bearer, deadline, timeout, tags; did you mean "headers"?`},
		{"options that are no object", `rollout.connect('wiki', 'settle')`, `connect takes an object {policy,`},
		{"a policy by number", `rollout.connect('wiki', { policy: 7 })`, `policy is a text, got 7`},
		{"a header that is no name", `rollout.connect('wiki', { headers: { 'a b': 'x' } })`, `"a b" is no name of a header`},
		{"a header that is the client's", `rollout.connect('wiki', { headers: { 'mcp-session-id': 'x' } })`, `Mcp-Session-Id is the client's own to set`},
		{"a header that would repeat calls", `rollout.connect('wiki', { headers: { 'idempotency-key': 'x' } })`, `Idempotency-Key is the client's own to set`},
		{"a header's value", `rollout.connect('wiki', { headers: { 'x-a': 'secret\nx' } })`, `the value of X-A holds what no header can`},
		{"a header twice", `rollout.connect('wiki', { headers: { 'x-a': '1', 'X-A': '2' } })`, `X-A is given twice`},
		{"a header by number", `rollout.connect('wiki', { headers: { 'x-a': 1 } })`, `headers.x-a is a text`},
		{"a bearer token with a line break", `rollout.connect('wiki', { bearer: 'secret\n' })`, `the value of Authorization holds what no header can`},
		{"two authorizations", `rollout.connect('wiki', { bearer: 'x', headers: { authorization: 'y' } })`, `give one`},
		{"a deadline that is none", `rollout.connect('wiki', { deadline: 'soon' })`, `deadline is a duration such as '2s'`},
		{"a deadline of nothing", `rollout.connect('wiki', { timeout: 0 })`, `timeout is a duration`},
		{"deadline and timeout", `wiki.ping({ deadline: '1s', timeout: '1s' })`, `give one`},

		{"a tool without a name", `wiki.callTool({ arguments: {} })`, `callTool needs a name`},
		{"a mistyped name", `wiki.callTool({ nme: 'x' })`, `callTool knows no "nme"; known: name, arguments; did you mean "name"?`},
		{"no tool", `wiki.callTool()`, `callTool needs {name, arguments}`},
		{"a tool as a text", `wiki.callTool('search_pages', {})`, `callTool takes an object {name, arguments}, got search_pages`},
		{"arguments that are none", `wiki.callTool({ name: 'x', arguments: ['y'] })`, `arguments is an object`},
		{"arguments that have no end", `const a = {}; a.a = a; wiki.callTool({ name: 'x', arguments: a })`, `cannot be written as JSON`},
		{"an option of a call", `wiki.callTool({ name: 'x' }, { dedline: 1 })`, `callTool's options knows no "dedline"; known: deadline, timeout, tags, cancelAfter; did you mean "deadline"?`},
		{"a tag that is taken", `wiki.callTool({ name: 'x' }, { tags: { kind: 'x' } })`, `the tag "kind" is the module's own`},
		{"a tag that is no text", `wiki.callTool({ name: 'x' }, { tags: { a: 1 } })`, `tags.a is a text`},
		{"an async call", `wiki.callToolAsync({ nam: 'x' })`, `did you mean "name"?`},
		{"a page that is none", `wiki.listTools({ pages: 0 })`, `pages is a whole number from 1, got 0`},
		{"a cursor that is none", `wiki.listTools({ cursor: 7 })`, `cursor is a text, got 7`},
		{"a resource without a uri", `wiki.readResource({})`, `readResource needs a uri`},
		{"a resource as a text", `wiki.readResource('wiki://page/x')`, `readResource takes an object {uri}`},
		{"a prompt's arguments", `wiki.getPrompt({ name: 'summarise', arguments: { page_id: 1 } })`, `arguments.page_id is a text`},
		{"a method that is nearly one", `wiki.calTool({ name: 'x' })`, `a connection has no calTool; did you mean "callTool"?`},
		{"a changed connection", `wiki.last = 1`, ``},
		{"a closed connection", `wiki.close(); wiki.ping()`, `this connection to wiki is closed: connect again`},
		{"closed twice", `wiki.close(); wiki.close()`, `is closed`},
		{"closed under a call", `wiki.callToolAsync({ name: 'search_pages', arguments: { query: 'x' } }); wiki.close()`, `still under way: await them first`},
		{"an option of a turn", `rollout.connect('sim').respond('', { tag: {} })`, `did you mean "tags"?`},
	}
	var body strings.Builder
	for i, tt := range tests {
		fmt.Fprintf(&body, `
  try { const wiki = rollout.connect('wiki'); %s; console.log(%d, 'nothing') } catch (e) { console.log(%d, e instanceof TypeError, e.message) }`, tt.call, i, i)
	}
	outcome, printed := drive(t, once(`{ wiki: 'wiki', sim: 'usersim' }`, ``, body.String()))
	unharmed(t, outcome.History)
	for i, tt := range tests {
		_, line, _ := strings.Cut(printed, fmt.Sprintf("\n%d ", i))
		if i == 0 {
			line = printed
		}
		line, _, _ = strings.Cut(line, "\n")
		if !strings.Contains(line, "true ") || !strings.Contains(line, tt.want) || strings.Contains(line, "secret") {
			t.Errorf("%s: %q\nwant a TypeError with %q", tt.name, line, tt.want)
		}
	}
}

// TestARolloutOutsideAnIteration is refused where it is made.
func TestARolloutOutsideAnIteration(t *testing.T) {
	outcome, printed := drive(t, `
import mcp from 'k6/x/mcp';
export const storm = { servers: { wiki: 'wiki' } };
try { mcp.rollout() } catch (e) { console.log('init', e instanceof TypeError, e.message) }
export function setup() { try { mcp.rollout() } catch (e) { console.log('setup', e instanceof TypeError, e.message) } }
export default function () { mcp.rollout().connect('wiki') }`)
	unharmed(t, outcome.History)
	for _, where := range []string{"init", "setup"} {
		if want := where + " true mcp: a rollout belongs in an iteration"; !strings.Contains(printed, want) {
			t.Errorf("printed\n%s\nwant %q", printed, want)
		}
	}
}

// TestAMistakeIsTheScripts: it is no failure of the rollout that could be spurious.
func TestAMistakeIsTheScripts(t *testing.T) {
	outcome, _ := drive(t, once(`{ wiki: 'wiki' }`, ``, `rollout.connect('wikki')`))
	for _, r := range outcome.History.Rollouts {
		if r.Outcome != history.ScriptError || !strings.Contains(r.Cause.At, "script.js:9") {
			t.Errorf("%s %s: %+v", r.Rollout, r.Outcome, r.Cause)
		}
	}
}

// noneOf fails the test when a file below dir holds a secret.
func noneOf(t *testing.T, dir, secret string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files: %v", files, err)
	}
}
