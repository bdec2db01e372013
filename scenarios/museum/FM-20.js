// FM-20: a mutation is carried out and its answer is lost. What drives the rollout begins
// a failed one again.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: 'ledger' },
  restarts: { max: 1 },
  faults: [{ on: 'tools', cut: 'C4', manner: 'rst', share: 0.3 }],
};

export default function () {
  mcp.rollout().connect('tools').callTool({ name: 'append', arguments: { text: 'first' } });
  sleep(0.5); // the model thinks about the answer
}
