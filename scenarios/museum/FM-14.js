// FM-14: a front end is busy while sessions are opened, and says so.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3 } },
  faults: [{ on: 'sim', status: 503, at: 'initialize', share: 0.2 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}
