// FM-26: an answer ends in the middle of its body.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2 } },
  faults: [{ on: 'sim', cut: 'C6', manner: 'fin', share: 0.2 }],
};

export default function () {
  const user = mcp.rollout().connect('sim', { deadline: '3s' });
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}
