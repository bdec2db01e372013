// FM-10: the result has come, and the closing of the session is never answered.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: { server: 'ledger', stateful: true } },
  faults: [{ on: 'tools', cut: 'C8', manner: 'hold', at: 'delete', share: 0.3 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools', { deadline: '400ms' });
  tools.callTool({ name: 'append', arguments: { text: 'first' } });
}
