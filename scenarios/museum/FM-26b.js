// FM-26b: a request is held up on its way, the client asks again and goes on, and then
// the old request arrives after all.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3 } },
  faults: [{ on: 'sim', cut: 'C1', manner: 'late', for: '900ms', share: 0.2 }],
};

export default function () {
  const user = mcp.rollout().connect('sim', { deadline: '250ms' });
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) sleep(0.3);
  sleep(1);
}
