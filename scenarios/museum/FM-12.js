// FM-12: the answer to a mutation is lost after the server has carried it out.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: 'ledger' },
  faults: [{ on: 'tools', cut: 'C4', manner: 'rst', share: 0.2 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  for (const text of ['first', 'second', 'third']) tools.callTool({ name: 'append', arguments: { text } });
}
