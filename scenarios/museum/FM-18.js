// FM-18: the caller cancels its call while the server is at work on it.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: { server: 'ledger', toolLatency: '2s' } },
  faults: [{ on: 'tools', cut: 'C1', manner: 'rst', at: 'initialize', share: 0.4 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  try {
    tools.callTool({ name: 'append', arguments: { text: 'first' } }, { cancelAfter: '1s' });
  } catch (/** @type {any} */ e) {
    if (!e.told) throw e;
  }
}
