// FM-22: a front end answers in the server's place, and its status says why.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { tools: 'ledger' },
  faults: [
    { on: 'tools', status: 429, share: 0.1 },
    { on: 'tools', status: 500, share: 0.1 },
    { on: 'tools', status: 400, share: 0.1 },
  ],
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
