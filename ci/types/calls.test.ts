// What a script may call, and what it may not: tsc must refuse every line that a
// comment says it refuses, and no other. It is only type-checked, never run.
import mcp, { rollout as named } from 'k6/x/mcp';
import type { Connection, McpError, Outcome, Rollout, ToolResult } from 'k6/x/mcp';

export default async function () {
  const rollout: Rollout = mcp.rollout();
  const same: Rollout = named();
  const id: string = rollout.id + same.task + String(rollout.restart + 1);

  const tools: Connection = rollout.connect('tools', {
    policy: 'settle', headers: { 'X-Team': 'storm' }, bearer: id, deadline: '2s', tags: { part: 'open' },
  });
  tools.callTool({ name: 'append', arguments: { text: 'x', n: [1, 2] } }, { timeout: 500, tags: { part: 'call' } });
  tools.callTool({ name: 'tick' });
  const result: ToolResult = await tools.callToolAsync({ name: 'append' }, { deadline: '1s' });
  const text: string = result.text + result.content[0].type + result.structuredContent.anything;
  await Promise.all(['a', 'b'].map((t) => tools.callToolAsync({ name: 'append', arguments: { text: t } })));

  const { tools: listed, nextCursor } = tools.listTools();
  const names: string[] = listed.map((tool) => tool.name + text);
  tools.listResources({ cursor: nextCursor, pages: 1 }, { deadline: '1s' }).resources.map((r) => r.uri);
  tools.listResourceTemplates().resourceTemplates.map((r) => r.uriTemplate);
  tools.readResource({ uri: 'wiki://page/x' }).text.trim();
  tools.listPrompts().prompts[0].arguments?.map((a) => a.required);
  tools.getPrompt({ name: names[0], arguments: { page_id: 'x' } }).messages[0].role.trim();
  const there: true = tools.ping({ tags: { part: 'ping' } });

  const last: Outcome = tools.last;
  if (there && last.cutSeen && last.trace === 'wrote' && last.settled === 'voided') console.log(last.cause?.class);
  try {
    tools.respond('', { deadline: 1000 }).messages[0].content.trim();
  } catch (e) {
    const error = e as McpError;
    if (error.told === 'unknown') rollout.fail(error.cause?.text);
  }
  tools.close();

  // @ts-expect-error: connect needs a name
  rollout.connect();
  // @ts-expect-error: no such policy
  rollout.connect('tools', { policy: 'setle' });
  // @ts-expect-error: headers, not header
  rollout.connect('tools', { header: {} });
  // @ts-expect-error: a header is a text
  rollout.connect('tools', { headers: { 'X-A': 1 } });
  // @ts-expect-error: a tool has a name
  tools.callTool({ arguments: {} });
  // @ts-expect-error: arguments are an object
  tools.callTool({ name: 'x', arguments: 'y' });
  // @ts-expect-error: a call is an object
  tools.callTool('x', {});
  // @ts-expect-error: no such option
  tools.callTool({ name: 'x' }, { retries: 3 });
  // @ts-expect-error: a tag is a text
  tools.callTool({ name: 'x' }, { tags: { n: 1 } });
  // @ts-expect-error: the module sets kind itself
  tools.callTool({ name: 'x' }, { tags: { kind: 'y' } });
  // @ts-expect-error: a promise has no text
  tools.callToolAsync({ name: 'x' }).text;
  // @ts-expect-error: pages is a number
  tools.listTools({ pages: 'all' });
  // @ts-expect-error: a list is no array
  tools.listTools().map((t) => t);
  // @ts-expect-error: a resource is read by its uri
  tools.readResource('wiki://page/x');
  // @ts-expect-error: a prompt's arguments are texts
  tools.getPrompt({ name: 'x', arguments: { n: 1 } });
  // @ts-expect-error: no such method
  tools.calTool({ name: 'x' });
  // @ts-expect-error: the outcome is read-only
  tools.last = last;
  // @ts-expect-error: told is a word of five
  if (last.told === 'lost') return;
  // @ts-expect-error: an McpError is never told ok
  if (({} as McpError).told === 'ok') return;
  // @ts-expect-error: the module has no such function
  mcp.connect('tools');
}
