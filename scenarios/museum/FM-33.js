// FM-33: many rollouts change something at the same time, each in a session of its own;
// now and then an answer is lost.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: { server: 'ledger', toolLatency: '200ms' } },
  faults: [{ on: 'tools', cut: 'C4', manner: 'fin', share: 0.1 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  for (const text of ['first', 'second', 'third']) tools.callTool({ name: 'append', arguments: { text } });
  sleep(0.5); // the model thinks about the answer
}
