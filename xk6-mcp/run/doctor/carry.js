// A load without faults: every rollout has two turns, and the model thinks between
// them as it does in the storms.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 64, iterations: 1 } } };
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2 } },
  policy: 'settle',
  arms: { main: { faults: [] } },
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) {
    sleep(0.4 + Math.random() * 0.8);
  }
}
