package community_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/xk6-mcp/engine"
)

// tour uses everything, as the examples of the original do.
const tour = `
  console.log('running:', client.ping());
  const tools = client.listAllTools().tools;
  console.log(tools.length, 'tools:', tools.map(tool => tool.name).join(' '));
  const resources = client.listAllResources().resources;
  console.log(resources.length, 'resources:', resources[0].uri, resources[0].mime_type);
  const prompts = client.listAllPrompts().prompts;
  console.log(prompts.length, 'prompts:', prompts[6].name);
  const said = client.callTool({ name: 'echo', arguments: { message: 'Hello, world!' } });
  console.log(said.content[0].text, said.is_error, said.isError, said.structured_content.toldBack, JSON.stringify(said));
  console.log(client.readResource({ uri: resources[2].uri }).contents[0].text);
  console.log(client.getPrompt({ name: prompts[1].name, arguments: { who: 'me' } }).messages[0].content.text);
`

const toured = `running: true
11 tools: die echo fail hang tool0 tool1 tool2 tool3 tool4 tool5 tool6
7 resources: test://text/0 text/plain
7 prompts: prompt6
Echo: Hello, world! false false Hello, world! {"content":[{"text":"Echo: Hello, world!","type":"text"}],"is_error":false,"structured_content":{"toldBack":"Hello, world!"}}
text of test://text/2
prompt of me
`

func TestATour(t *testing.T) {
	for name, script := range map[string]string{
		"made in the iteration": `export default function () { const client = CONSTRUCT;` + tour + `}`,
		"made in init code":     `const client = CONSTRUCT; export default function () {` + tour + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, server target) {
				r := run(t, strings.ReplaceAll(script, "CONSTRUCT", server.construct))
				if len(r.Errors) > 0 {
					t.Fatal(r.Errors[0])
				}
				if diff := cmp.Diff(toured, withoutLevels(r.printed)); diff != "" {
					t.Error(diff)
				}
				wantMethods(t, r, map[string]float64{
					"Ping": 1, "ListAllTools": 1, "ListAllResources": 1, "ListAllPrompts": 1, "CallTool": 1, "ReadResource": 1, "GetPrompt": 1,
				}, nil)
			})
		})
	}
}

// withoutLevels drops what the console puts before each line.
func withoutLevels(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, said, ok := strings.Cut(line, "INFO ")
		if !ok {
			said = line
		}
		b.WriteString(said)
	}
	return b.String()
}

// wantMethods compares the calls and errors of every method, and that every call
// which was sent has a duration.
func wantMethods(t *testing.T, r ran, calls, errors map[string]float64) {
	t.Helper()
	if diff := cmp.Diff(calls, r.counted("mcp_request_count")); diff != "" {
		t.Errorf("mcp_request_count: %s", diff)
	}
	if errors == nil {
		errors = map[string]float64{}
	}
	if diff := cmp.Diff(errors, r.counted("mcp_request_errors")); diff != "" {
		t.Errorf("mcp_request_errors: %s", diff)
	}
}

func TestPagesByHand(t *testing.T) {
	eachKind(t, func(t *testing.T, server target) {
		r := run(t, `export default function () {
			const client = `+server.construct+`;
			for (const [method, list] of [['listTools', 'tools'], ['listResources', 'resources'], ['listPrompts', 'prompts']]) {
				let cursor = '', sizes = [];
				do {
					const page = client[method]({ cursor });
					sizes.push(page[list].length);
					cursor = page.next_cursor;
				} while (cursor !== '');
				console.log(method, sizes.join(' '));
			}
			console.log(client.listTools().tools.length, client.listAllTools({}).tools.length);
		}`)
		if len(r.Errors) > 0 {
			t.Fatal(r.Errors[0])
		}
		want := "listTools 3 3 3 2\nlistResources 3 3 1\nlistPrompts 3 3 1\n3 11\n"
		if diff := cmp.Diff(want, withoutLevels(r.printed)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAToolErrorIsASuccess is the original's own view.
func TestAToolErrorIsASuccess(t *testing.T) {
	eachKind(t, func(t *testing.T, server target) {
		r := run(t, `export default function () {
			const result = `+server.construct+`.callTool({ name: 'fail' });
			console.log(result.is_error, result.content[0].text);
		}`)
		if got := withoutLevels(r.printed); got != "true the tool refused\n" {
			t.Errorf("printed %q", got)
		}
		wantMethods(t, r, map[string]float64{"CallTool": 1}, nil)
	})
}

// TestAnAnswerThatIsAnErrorCanBeCaught, and the session lives on.
func TestAnAnswerThatIsAnErrorCanBeCaught(t *testing.T) {
	eachKind(t, func(t *testing.T, server target) {
		r := run(t, `export default function () {
			const client = `+server.construct+`;
			for (let i = 0; i < 2; i++) {
				try {
					client.callTool({ name: 'nowhere' });
				} catch (e) {
					console.log(e instanceof Error, e.message.includes('nowhere'));
				}
			}
			console.log(client.callTool({ name: 'echo', arguments: { message: 'on' } }).content[0].text);
		}`)
		if got := withoutLevels(r.printed); got != "true true\ntrue true\nEcho: on\n" {
			t.Errorf("printed %q", got)
		}
		wantMethods(t, r, map[string]float64{"CallTool": 3}, map[string]float64{"CallTool": 2})
		if server.seen != nil && server.seen.sessions.Load() != 1 {
			t.Errorf("%d sessions, want 1", server.seen.sessions.Load())
		}
	})
}

func TestACallHasADeadline(t *testing.T) {
	eachKind(t, func(t *testing.T, server target) {
		t.Parallel()
		r := run(t, `export default function () {
			const client = `+server.with(`timeout: 2000`)+`;
			client.ping();
			client.callTool({ name: 'hang' });
		}`)
		wantAll(t, r.failure(t), "script.js:5:", "callTool: no answer within 2s")
		wantMethods(t, r, map[string]float64{"Ping": 1, "CallTool": 1}, map[string]float64{"CallTool": 1})
	})
}

// TestAnInterruptEndsACall: the iteration ends as interrupted, whatever the script
// makes of the error, and nothing of the call counts.
func TestAnInterruptEndsACall(t *testing.T) {
	eachKind(t, func(t *testing.T, server target) {
		stop, cancel := context.WithCancel(t.Context())
		defer cancel()
		if server.seen != nil {
			server.seen.hanging = cancel
		}
		r, err := runUntil(t, stop, &console{on: "child: hanging", then: cancel}, `
			const client = `+server.with("debug: true")+`;
			export default function () {
				client.ping();
				try { client.callTool({ name: 'hang' }); } catch (e) { console.log('caught'); }
				console.log('went on');
			}`)
		if !errors.Is(err, engine.ErrStopped) {
			t.Fatalf("error %v, want that the run was stopped", err)
		}
		if got := r.Scenarios[0]; got.Interrupted != 1 || strings.Contains(r.printed, "went on") {
			t.Errorf("%d interrupted, want 1; printed %q", got.Interrupted, r.printed)
		}
		wantMethods(t, r, map[string]float64{"Ping": 1}, nil)
	})
}

// TestSessionsOfOneUser: one client for each iteration is one open session.
func TestSessionsOfOneUser(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		sessions     int64
	}{
		{"made once", `const client = CONSTRUCT; export default function () { client.ping(); }`, 1},
		{"made in the first iteration", `let client; export default function () { client = client || CONSTRUCT; client.ping(); }`, 1},
		{"made in every iteration", `export default function () { CONSTRUCT.ping(); }`, 3},
		{"never used", `export default function () { CONSTRUCT; }`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := overHTTP(t, "StreamableHTTPClient", streamableHandler)
			script := `export const options = { vus: 1, iterations: 3 };` + strings.ReplaceAll(tt.script, "CONSTRUCT", server.construct)
			if r := run(t, script); len(r.Errors) > 0 {
				t.Fatal(r.Errors[0])
			}
			if got := server.seen.sessions.Load(); got != tt.sessions {
				t.Errorf("%d sessions, want %d", got, tt.sessions)
			}
		})
	}
}

// TestUsersHaveSessionsOfTheirOwn, in setup and teardown too.
func TestUsersHaveSessionsOfTheirOwn(t *testing.T) {
	eachKind(t, func(t *testing.T, server target) {
		r := run(t, `export const options = { vus: 4, iterations: 8 };
			const client = `+server.construct+`;
			export function setup() { return client.ping(); }
			export default function (up) { if (!up || !client.ping()) throw new Error('down'); }
			export function teardown() { client.listTools(); }`)
		if len(r.Errors) > 0 || r.SetupErr != nil || r.TeardownErr != nil {
			t.Fatal(r.Errors, r.SetupErr, r.TeardownErr)
		}
		wantMethods(t, r, map[string]float64{"Ping": 9, "ListTools": 1}, nil)
	})
}

// TestABrokenSessionIsGivenUp: the call that broke it fails, and the next one
// opens another.
func TestABrokenSessionIsGivenUp(t *testing.T) {
	const script = `export default function () {
		const client = CONSTRUCT;
		client.ping();
		try { client.callTool({ name: 'die' }); } catch (e) { console.log(e.message); }
		console.log(client.callTool({ name: 'echo', arguments: { message: 'again' } }).content[0].text);
	}`
	t.Run("stdio", func(t *testing.T) {
		r := run(t, strings.ReplaceAll(script, "CONSTRUCT", stdioClient(t, "server")))
		wantAll(t, r.printed, "callTool: ", "the server process ended with exit status 4", "child: dying", "Echo: again")
		wantMethods(t, r, map[string]float64{"Ping": 1, "CallTool": 2}, map[string]float64{"CallTool": 1})
	})
	t.Run("streamable", func(t *testing.T) {
		server := overHTTP(t, "StreamableHTTPClient", func(get func(*http.Request) *mcp.Server) http.Handler {
			return breaking(streamableHandler(get))
		})
		r := run(t, strings.ReplaceAll(script, "CONSTRUCT", server.construct))
		wantAll(t, r.printed, "callTool: ", "Echo: again")
		wantMethods(t, r, map[string]float64{"Ping": 1, "CallTool": 2}, map[string]float64{"CallTool": 1})
		if got := server.seen.sessions.Load(); got != 2 {
			t.Errorf("%d sessions, want 2", got)
		}
	})
}

// breaking answers calls of the tool die with something that is no JSON.
func breaking(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"die"`) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "<html>")
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
}

// childID finds the process that a child has said it is.
var childID = regexp.MustCompile(`child: started as \w+, process (\d+)`)

// TestNoChildIsLeft, whether or not it ends when its stdin does.
func TestNoChildIsLeft(t *testing.T) {
	for _, mode := range []string{"server", "deaf"} {
		r := run(t, `export default function () {
			console.log(`+target{construct: stdioClient(t, mode)}.with("debug: true, timeout: 3000")+`.ping());
		}`)
		started := childID.FindStringSubmatch(r.printed)
		if started == nil {
			t.Fatalf("%s: printed %q", mode, r.printed)
		}
		id, _ := strconv.Atoi(started[1])
		if err := syscall.Kill(id, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: process %d: %v, want that it is gone", mode, id, err)
		}
	}
}

func TestSadServers(t *testing.T) {
	for _, tt := range []struct {
		name, mode, timeout string
		want                []string
	}{
		{"exits", "exits", "60s", []string{"listTools: connecting", "the server process ended with exit status 3", "child: no licence"}},
		{"writes garbage", "garbage", "60s", []string{"listTools: connecting", "invalid character 'W'"}},
		{"never answers", "silent", "500ms", []string{"listTools: connecting: no answer within 500ms"}},
		{"neither answers nor ends", "deaf", "500ms", []string{"listTools: connecting: no answer within 500ms"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, `export default function () {
				`+target{construct: stdioClient(t, tt.mode)}.with("timeout: '"+tt.timeout+"'")+`.listTools();
			}`)
			wantAll(t, r.failure(t), append(tt.want, "script.js:3:", "mcp: StdioClient ")...)
			wantMethods(t, r, map[string]float64{"ListTools": 1}, map[string]float64{"ListTools": 1})
		})
	}
}

func TestDebugPrintsStderr(t *testing.T) {
	for debug, want := range map[string]bool{"debug: true": true, "debug: false": false} {
		r := run(t, `export default function () { `+target{construct: stdioClient(t, "server")}.with(debug)+`.ping(); }`)
		if got := strings.Contains(r.printed, ": child: started as server"); got != want {
			t.Errorf("%s: printed is %t, want %t: %q", debug, got, want, r.printed)
		}
	}
}

// TestPingSaysWhetherTheServerAnswers and never throws in an iteration.
func TestPingSaysWhetherTheServerAnswers(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	url := gone.URL
	gone.Close()
	r := run(t, `export default function () { console.log(new mcp.StreamableHTTPClient({ base_url: '`+url+`' }).ping()); }`)
	if got := withoutLevels(r.printed); got != "false\n" {
		t.Errorf("printed %q", got)
	}
	wantMethods(t, r, map[string]float64{"Ping": 1}, map[string]float64{"Ping": 1})
	if durations := r.counted("mcp_request_duration"); len(durations) > 0 {
		t.Errorf("durations %v of a ping that was never sent", slices.Collect(maps.Keys(durations)))
	}
}

// TestARedirectStaysHere: wherever a server sends a client, it does not leave.
func TestARedirectStaysHere(t *testing.T) {
	away := httptest.NewServer(http.RedirectHandler("http://192.0.2.1:9/mcp", http.StatusTemporaryRedirect))
	defer away.Close()
	r := run(t, `export default function () { new mcp.StreamableHTTPClient({ base_url: '`+away.URL+`' }).listTools(); }`)
	wantAll(t, r.failure(t), "192.0.2.1:9: only loopback addresses are driven")
}

func TestMistakes(t *testing.T) {
	const here = "new mcp.StreamableHTTPClient({ base_url: 'http://127.0.0.1:9/mcp' })"
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{"another host", `new mcp.SSEClient({ base_url: 'http://example.com/sse' })`, []string{"new SSEClient", "the host example.com", "loopback"}},
		{"another address", `new mcp.StreamableHTTPClient({ base_url: 'http://10.0.0.1/mcp' })`, []string{"the host 10.0.0.1"}},
		{"no URL", `new mcp.StreamableHTTPClient({ base_url: 'localhost:80' })`, []string{`"localhost:80", want http://HOST:PORT/PATH`}},
		{"nothing at all", `new mcp.SSEClient()`, []string{"new SSEClient", "needs {base_url}"}},
		{"no program", `new mcp.StdioClient({ args: [] })`, []string{"needs {path}"}},
		{"a program that is not there", `new mcp.StdioClient({ path: 'no-such-server' })`, []string{`"no-such-server": executable file not found`}},
		{"an unknown key", `new mcp.SSEClient({ baseUrl: 'x' })`, []string{`unknown key "baseUrl"; known: base_url, debug, timeout`}},
		{"a key of the wrong type", `new mcp.StdioClient({ path: 3 })`, []string{"wrong argument"}},
		{"no object", `new mcp.SSEClient('http://127.0.0.1/')`, []string{"want an object with base_url"}},
		{"an unending timeout", `new mcp.SSEClient({ base_url: 'http://localhost/', timeout: 0 })`, []string{"timeout is 0"}},
		{"a timeout that is no duration", `new mcp.SSEClient({ base_url: 'http://localhost/', timeout: 'soon' })`, []string{`timeout is "soon"`}},
		{"an environment without names", `new mcp.StdioClient({ path: 'sh', env: ['x'] })`, []string{`env holds "x", want NAME=VALUE`}},
		{"an environment of numbers", `new mcp.StdioClient({ path: 'sh', env: 3 })`, []string{"env is 3"}},
		{"a call without a name", here + `.callTool({})`, []string{"callTool: wrong argument: needs {name}"}},
		{"arguments that are no object", here + `.callTool({ name: 'x', arguments: [1] })`, []string{"arguments is [1], want an object"}},
		{"a prompt's numbers", here + `.getPrompt({ name: 'x', arguments: { n: 1 } })`, []string{"want an object of texts"}},
		{"no URI", here + `.readResource()`, []string{"needs {uri}"}},
		{"an unknown parameter", here + `.listTools({ next_cursor: 'x' })`, []string{`unknown key "next_cursor"; known: cursor`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, "export default function () {\n"+tt.script+";\n}")
			wantAll(t, r.failure(t), append(tt.want, "script.js:3:", "TypeError: mcp: ")...)
			wantMethods(t, r, map[string]float64{}, nil)
		})
	}
}

// TestMistakesInInitCode stop the script before anything runs.
func TestMistakesInInitCode(t *testing.T) {
	server := overHTTP(t, "StreamableHTTPClient", streamableHandler)
	for name, tt := range map[string]struct{ script, want string }{
		"a wrong host": {`new mcp.SSEClient({ base_url: 'http://example.com/' });`, "the host example.com"},
		"a call":       {server.construct + `.listTools();`, "listTools: not in init code"},
		"a ping":       {server.construct + `.ping();`, "ping: not in init code"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runUntil(t, t.Context(), &console{}, tt.script+"\nexport default function () {}")
			if !errors.Is(err, engine.ErrScript) {
				t.Fatalf("error %v, want one of the script", err)
			}
			wantAll(t, err.Error(), "script.js:2:", tt.want)
		})
	}
	if n := server.seen.sessions.Load(); n != 0 {
		t.Errorf("%d sessions from init code, want none", n)
	}
}
