// Your own MCP server, over streamable HTTP on this machine. As it stands, the
// script drives the reference server ledger, so that it runs at once; to drive
// yours, put the object with url in its place.
import mcp from 'k6/x/mcp';
import { check, sleep } from 'k6';

export const options = {
  scenarios: {
    calls: { executor: 'per-vu-iterations', vus: 16, iterations: 3 },
  },
};

export const storm = {
  servers: {
    tools: 'ledger',
    // tools: {
    //   // {rollout} is replaced, so that each rollout has an endpoint of its own and its
    //   // exchanges can be told from the others'. Leave it out where there is one for all.
    //   url: 'http://127.0.0.1:8100/r/{rollout}/mcp',
    //   // What a repeat of each tool would do: read-only, idempotent, keyed, resolvable or
    //   // unsafe. A tool that is not listed is unsafe.
    //   tools: { append: 'unsafe', read: 'read-only' },
    //   opArgument: 'op',       // the argument in which mcpstorm puts its operation's id
    //   nonceArgument: 'nonce', // the argument that every result gives back, if yours has one
    //   settle: 'settle',       // the tool that decides the fate of an operation, if yours has one
    //   headers: { Authorization: `Bearer ${__ENV.TOKEN}` }, // --env TOKEN=…; never recorded
    // },
  },
  // A client that sends nothing again that may have arrived. A server that has no tool
  // to settle operations cannot be driven by more than that without a risk.
  policy: 'at-most-once',
  faults: [
    { on: 'tools', cut: 'C1', manner: 'fin', share: 0.1 },  // lost on the way there
    { on: 'tools', cut: 'C4', manner: 'rst', share: 0.05 }, // lost on the way back
  ],
  // What needs the server's own record of what it executed is "not evaluated" for yours.
  assert: ['no-unsafe-replay', 'bounded-retry'],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  sleep(Math.random() * 0.2);
  try {
    const result = tools.callTool({ name: 'append', arguments: { text: `line ${__ITER}` } });
    check(result, { 'is no error': (r) => !r.isError });
  } catch (e) {
    if (e.name !== 'McpError') throw e;
    console.warn(`${e.op}: ${e.told}`); // what the client can say of it: not_executed or unknown
  }
}
