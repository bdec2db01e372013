// Everybody starts at once, and connections are cut just then: while sessions
// are opened, while the first user turn is fetched, and then half of all open
// connections together. That, and not independent drops, is what people saw at
// 512 rollouts.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 512, iterations: 1 },
  },
};

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3 } },
  policy: 'settle',
  faults: [
    { on: 'sim', cut: 'C1', manner: 'rst', at: 'initialize', share: 0.2, during: 'start' },
    { on: 'sim', cut: 'C4', manner: 'fin', at: 'initialize', share: 0.2, during: 'start' },
    { on: 'sim', cut: 'C3', manner: 'rst', share: 0.2, during: 'start' },
    { on: 'sim', cut: 'C4', manner: 'rst', share: 0.2, during: 'start' },
    { on: 'sim', burst: { at: '1s', what: 'half' }, manner: 'rst' },
  ],
  assert: ['exactly-once-turns', 'no-spurious-failure', 'truthful-outcome', 'blast-radius', 'bounded-retry'],
};

export default function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim');
  let turn = user.respond('');
  while (!turn.finished) {
    sleep(0.2 + Math.random() * 0.4); // the model thinks
    turn = user.respond('done');
  }
  if (turn.isError) rollout.fail(turn.text);
}
