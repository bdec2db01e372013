// FM-08: the answer to a turn came, and it is no JSON: the simulator could not write its
// state, and says so in a text.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2, stateFailures: 0.2 } },
  faults: [{ on: 'sim', cut: 'C1', manner: 'rst', share: 0.1 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (const seq of [0, 2]) {
    try {
      user.callTool({ name: 'respond', arguments: { message: seq ? 'done' : '', seq } });
    } catch (/** @type {any} */ e) {
      if (!e.told) throw e;
    }
  }
}
