// A server with a limit that is known: it takes ADMIT requests at once, and refuses
// one more. Its calls take far longer than what lies between them, and a client that
// never tries again sees every refusal: the most rollouts that it carries is ADMIT.
import mcp from 'k6/x/mcp';

export const options = {
  scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 8, iterations: 1 } },
};

export const storm = {
  servers: { tools: { server: 'wiki', toolLatency: __ENV.LATENCY || '100ms', admit: Number(__ENV.ADMIT) } },
  policy: 'verifiers-0.2.0',
  faults: [],
  arms: { main: {} },
};

export default function () {
  const tools = mcp.rollout().connect('tools');
  for (let i = 0; i < Number(__ENV.CALLS || 2); i++) tools.callTool({ name: 'search_pages', arguments: { query: `page ${i}` } });
}
