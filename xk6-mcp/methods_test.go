package xk6mcp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// drive runs a script over the real path, in a folder of its own. What it printed
// comes back beside the outcome.
func drive(t *testing.T, script string) (*run.Outcome, string) {
	t.Helper()
	dir := t.TempDir()
	var out bytes.Buffer
	o := run.Options{
		Script: filepath.Join(dir, "script.js"), Dir: filepath.Join(dir, "run"), Seed: 1,
		NoHostProbe: true, NoCharts: true, Console: &out,
	}
	if err := os.WriteFile(o.Script, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	outcome, err := run.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return outcome, out.String()
}

// once is a script of one rollout whose body ends in an arm without faults and in
// the one that is judged.
func once(servers, faults, body string) string {
	return fmt.Sprintf(`
import mcp from 'k6/x/mcp';
export const storm = { servers: %s, policy: 'settle', faults: [%s] };
const same = (got, want) => {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error('got ' + JSON.stringify(got) + ', want ' + JSON.stringify(want));
};
export default async function () {
  const rollout = mcp.rollout();
%s
}`, servers, faults, body)
}

// unharmed fails the test when a rollout did not complete.
func unharmed(t *testing.T, h *history.Run) {
	t.Helper()
	if len(h.Rollouts) == 0 {
		t.Error("no rollout was recorded")
	}
	for _, r := range h.Rollouts {
		if r.Outcome != history.Completed {
			t.Errorf("%s %s: %+v", r.Rollout, r.Outcome, r.Cause)
		}
	}
}

// brief is each operation of the main arm in a few words.
func brief(h *history.Run) []string {
	var lines []string
	for _, o := range h.Ops {
		if o.Arm == "main" {
			lines = append(lines, fmt.Sprintf("%s %s %s after %d", strings.TrimPrefix(o.Op, "t000000/"), o.Kind, o.Told, o.Attempts))
		}
	}
	return lines
}

// everyMethod calls all that a connection has, and says what comes back.
const everyMethod = `
  const wiki = rollout.connect('wiki');
  same(wiki.last.kind, 'connect');
  same(wiki.ping(), true);
  same(wiki.listTools().tools.map((t) => t.name), ['read_section', 'search_pages', 'view_sections']);
  const { resources, nextCursor } = wiki.listResources();
  same([resources.length, nextCursor], [200, undefined]);
  const first = wiki.listResources({ pages: 1 });
  same([first.resources.length, first.nextCursor], [50, 'p50']);
  same(wiki.listResources({ cursor: first.nextCursor, pages: 2 }).nextCursor, 'p150');
  same(wiki.listResourceTemplates().resourceTemplates.map((t) => t.name), ['page', 'section']);
  const page = wiki.readResource({ uri: resources[0].uri });
  same([page.contents.length, page.contents[0].text === page.text, page.text.startsWith('History')], [1, true, true]);
  same(wiki.listPrompts().prompts.map((p) => p.name), ['explore', 'summarise']);
  const prompt = wiki.getPrompt({ name: 'summarise', arguments: { page_id: resources[0].name } });
  same([prompt.messages[0].role, prompt.messages[0].content.type], ['user', 'text']);
  same(wiki.callTool({ name: 'search_pages', arguments: { query: 'storm' } }).structuredContent.pages.length, 10);
  wiki.close();
`

// TestEveryMethodOfTheStatelessEra has no ping to call: that era dropped it, and the
// server says so.
func TestEveryMethodOfTheStatelessEra(t *testing.T) {
	body := strings.Replace(everyMethod, "same(wiki.ping(), true);",
		"try { wiki.ping(); throw new Error('pong') } catch (e) { same([e.told, e.cause.code], ['tool_error', -32601]) }", 1)
	for _, policy := range []string{"settle", "verifiers-0.2.0"} {
		outcome, _ := drive(t, once(`{ wiki: { server: 'wiki', era: '2026-07-28', policy: '`+policy+`' } }`, ``, body))
		unharmed(t, outcome.History)
		if got := brief(outcome.History); len(got) != 12 || got[7] != "s08 read-resource ok after 1" {
			t.Errorf("%s: %q", policy, got)
		}
	}
}

func TestEveryMethod(t *testing.T) {
	for _, stateful := range []string{"false", "true"} {
		for _, policy := range []string{"settle", "verifiers-0.2.0", "go-sdk"} {
			t.Run(policy+", stateful "+stateful, func(t *testing.T) {
				script := once(`{ wiki: { server: 'wiki', stateful: `+stateful+`, policy: '`+policy+`' } }`, ``, everyMethod)
				outcome, _ := drive(t, script)
				unharmed(t, outcome.History)
				want := []string{
					"s02 ping ok after 1", "s03 list-tools ok after 1", "s04 list-resources ok after 1", "s05 list-resources ok after 1",
					"s06 list-resources ok after 1", "s07 list-resource-templates ok after 1", "s08 read-resource ok after 1",
					"s09 list-prompts ok after 1", "s10 get-prompt ok after 1", "s11 tool ok after 1",
				}
				got := brief(outcome.History)
				if len(got) != 12 {
					t.Fatalf("%d operations, want 12: %q", len(got), got)
				}
				if diff := cmp.Diff(want, got[1:11]); diff != "" {
					t.Errorf("operations (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestReadsAreAskedForAgain cuts one exchange of each kind after the server has
// answered: what changes nothing is asked for again, and the verdict is clean.
func TestReadsAreAskedForAgain(t *testing.T) {
	faults := `
    { on: 'wiki', op: 't000000/s02', attempt: 1, at: 'read', cut: 'C4', manner: 'rst' },
    { on: 'wiki', op: 't000000/s04', attempt: 1, at: 'list', cut: 'C4', manner: 'fin' },
    { on: 'wiki', op: 't000000/s04', attempt: 2, at: 'list', cut: 'C1', manner: 'rst' },
    { on: 'wiki', op: 't000000/s08', attempt: 1, at: 'read', cut: 'C4', manner: 'rst' },
    { on: 'wiki', op: 't000000/s10', attempt: 1, at: 'read', cut: 'C6', manner: 'rst' },
    { on: 'wiki', op: 't000000/s11', attempt: 1, cut: 'C4', manner: 'rst' },`
	outcome, _ := drive(t, once(`{ wiki: { server: 'wiki' } }`, faults, everyMethod))
	unharmed(t, outcome.History)
	if outcome.Exit != run.ExitPass {
		t.Errorf("exit %d: %s", outcome.Exit, outcome.Verdict.Reason)
	}
	got := brief(outcome.History)
	for _, want := range []string{
		"s02 ping ok after 2", "s04 list-resources ok after 3", "s08 read-resource ok after 2", "s10 get-prompt ok after 2", "s11 tool ok after 2",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q among %q", want, got)
		}
	}
	pages := 0
	for _, a := range outcome.History.Attempts {
		if a.Op == "t000000/s04" && a.Role == history.RoleList {
			pages++
		}
	}
	if pages != 1+1+4 {
		t.Errorf("the list took %d exchanges, want two that were cut and four pages", pages)
	}
}

// TestTheLastOutcome tells a cut that was seen from an answer that was not.
func TestTheLastOutcome(t *testing.T) {
	faults := `
    { on: 'tools', op: 't000000/s02', attempt: 1, cut: 'C4', manner: 'rst' },
    { on: 'tools', op: 't000000/s04', attempt: 1, cut: 'C5', manner: 'fin' },`
	_, printed := drive(t, once(`{ tools: 'ledger' }`, faults, `
  for (const policy of ['settle', 'at-most-once']) {
    const c = rollout.connect('tools', { policy });
    try { c.callTool({ name: 'append', arguments: { text: 'x' } }) } catch (e) { same(e.name, 'McpError') }
    const { op, told, attempts, cutSeen, trace, status, settled, cause, durationMs } = c.last;
    console.log(op, told, attempts, cutSeen, trace, status, settled, cause && cause.class, durationMs > 0);
  }`))
	for _, want := range []string{
		"t000000/s02 ok 1 true wrote 200 result null true",
		"t000000/s04 unknown 1 true first_byte 200 null truncated true",
		"t1000000/s02 ok 1 false null 200 null null true",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("printed\n%s\nwant %q", printed, want)
		}
	}
}

// TestAnErrorOfTheServerIsItsOwn: a resource that is not there is an answer, and
// no fault is to blame.
func TestAnErrorOfTheServerIsItsOwn(t *testing.T) {
	outcome, _ := drive(t, once(`{ wiki: 'wiki' }`, ``, `
  const wiki = rollout.connect('wiki');
  try { wiki.readResource({ uri: 'wiki://page/nowhere' }); throw new Error('read it') } catch (e) {
    same([e.name, e.told, e.attempts, e.cause.class], ['McpError', 'tool_error', 1, 'rpc_error']);
    if (!/Resource not found/.test(e.message)) throw e;
  }
  same(wiki.callTool({ name: 'nothing', arguments: {} }).isError, true);`))
	unharmed(t, outcome.History)
	if outcome.Verdict.Status == history.Fail {
		t.Errorf("%s: %s", outcome.Verdict.Status, outcome.Verdict.Reason)
	}
}

// TestMetricsAndTags looks at what a call and its requests are counted under.
func TestMetricsAndTags(t *testing.T) {
	script := strings.Replace(once(`{ wiki: 'wiki' }`, ``, `
  const wiki = rollout.connect('wiki', { tags: { part: 'open' } });
  wiki.listResources({}, { tags: { part: 'list' } });
  wiki.callTool({ name: 'search_pages', arguments: { query: 'x' } }, { tags: { part: 'call' } });
  wiki.ping();`), "export default", `export const options = { thresholds: {
  'mcp_ops{kind:list-resources,server:wiki,told:ok,policy:settle,arm:main,part:list}': ['count==1'],
  'mcp_ops{kind:tool,tool:search_pages,part:call}': ['count==1'],
  'mcp_ops{kind:connect,part:open}': ['count==1'],
  'mcp_ops{kind:ping}': ['count==1'],
  'mcp_request_count{method:resources/list,part:list}': ['count==4'],
  'mcp_request_count{method:initialize,part:list}': ['count==1'],
  'mcp_request_count{method:tools/call,part:call}': ['count==1'],
  'mcp_request_count{method:ping}': ['count==1'],
  'mcp_op_failed{kind:ping}': ['rate==0'],
} };
export default`, 1)
	outcome, _ := drive(t, script)
	unharmed(t, outcome.History)
	if len(outcome.Thresholds) != 9 {
		t.Errorf("%d thresholds, want 9", len(outcome.Thresholds))
	}
	for _, threshold := range outcome.Thresholds {
		if !threshold.OK || threshold.NoData {
			t.Errorf("%+v", threshold)
		}
	}
}
