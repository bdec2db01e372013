// FM-04: the connection breaks while the simulator thinks, and the repeat comes before
// the first call is done.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 1, turnLatency: '1500ms' } },
  faults: [{ on: 'sim', cut: 'C3', manner: 'rst', share: 0.4 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}
