// FM-16: the connection breaks while a session is opened, before anything was asked.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3 } },
  faults: [{ on: 'sim', cut: 'C1', manner: 'rst', at: 'initialize', share: 0.2 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}
