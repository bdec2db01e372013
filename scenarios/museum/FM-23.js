// FM-23: the tool refuses what it was asked, by a result that says isError.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: 'ledger' },
  faults: [{ on: 'tools', cut: 'C1', manner: 'rst', at: 'initialized', share: 0.3 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  tools.callTool({ name: 'append', arguments: { text: 'first' } });
  tools.callTool({ name: 'append', arguments: {} }); // without its text
}
