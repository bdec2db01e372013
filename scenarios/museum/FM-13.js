// FM-13: something on the way forgets connections that are idle while the model thinks, and
// answers the next request with a reset.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2 } },
  faults: [{ on: 'sim', idle: '150ms', manner: 'forget', share: 0.7 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) sleep(0.4);
}
