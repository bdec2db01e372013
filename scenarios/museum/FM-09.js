// FM-09: the result has come, and then the closing of the session fails.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: { server: 'ledger', stateful: true } },
  faults: [{ on: 'tools', cut: 'C8', manner: 'rst', at: 'delete', share: 0.3 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  for (const text of ['first', 'second', 'third']) tools.callTool({ name: 'append', arguments: { text } });
}
