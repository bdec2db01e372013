// FM-17: the caller cancels its call, and the closing of the session is never answered.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: { server: 'ledger', stateful: true, toolLatency: '3s' } },
  faults: [{ on: 'tools', cut: 'C8', manner: 'hold', at: 'delete', share: 0.5 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools', { deadline: '3s' });
  try {
    tools.callTool({ name: 'append', arguments: { text: 'first' } }, { cancelAfter: '1s' });
  } catch (/** @type {any} */ e) {
    if (!e.told) throw e;
  }
  sleep(1); // the others are still closing theirs
}
