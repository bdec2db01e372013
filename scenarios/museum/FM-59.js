// FM-59: the connection breaks while a mutation is under way, and the client asks the
// server whether it was carried out.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: { server: 'ledger', toolLatency: '2s' } },
  faults: [{ on: 'tools', cut: 'C3', manner: 'rst', share: 0.4 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  tools.callTool({ name: 'append', arguments: { text: 'first' } });
}
