// FM-31: many rollouts ask a shared server at the same time for what takes it a while;
// all that breaks is the closing of some of their sessions.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { wiki: { server: 'wiki', stateful: true, toolLatency: '2s' } },
  policy: 'never-retries',
  faults: [{ on: 'wiki', cut: 'C8', manner: 'rst', at: 'delete', share: 0.3 }],
};

export default function () {
  const wiki = mcp.rollout().connect('wiki', { deadline: '10s' });
  for (let i = 0; i < 3; i++) wiki.listTools(); // so that most sessions are closed while all rollouts run
  wiki.callTool({ name: 'search_pages', arguments: { query: 'storms' } });
}
