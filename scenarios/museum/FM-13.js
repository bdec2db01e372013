// FM-13: the server, or something on the way, ends connections that are idle, and does
// so while the model thinks.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2 } },
  faults: [{ on: 'sim', idle: '150ms', manner: 'rst', share: 0.5 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) sleep(0.4);
}
