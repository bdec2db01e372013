// FM-15: a front end refuses a call for good: it would refuse it again.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: 'ledger' },
  faults: [{ on: 'tools', status: 400, share: 0.2 }],
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  for (const text of ['first', 'second', 'third']) {
    try {
      tools.callTool({ name: 'append', arguments: { text } });
    } catch (/** @type {any} */ e) {
      if (!e.told) throw e;
    }
  }
}
