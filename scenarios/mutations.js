// A mutation between every two user turns, and cuts on the server that takes
// them. An append is not idempotent and carries no promise: when its delivery is
// unknown, sending it again may do it twice, and giving up may lose it.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 256, iterations: 1 },
  },
};

/** @type {import('k6/x/mcp').Cut[]} */
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'];

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: {
    sim: { server: 'usersim', turns: 4 },
    tools: { server: 'ledger', toolLatency: '20ms' },
  },
  policy: 'settle', // try --policy at-least-once, or --policy verifiers-2134
  faults: cuts.map((cut) => ({ on: 'tools', cut, manner: 'rst', share: 0.03 })),
  assert: ['exactly-once-turns', 'no-unsafe-replay', 'no-spurious-failure', 'truthful-outcome', 'isolation', 'blast-radius', 'bounded-retry'],
};

export default function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim');
  const tools = rollout.connect('tools');
  let turn = user.respond('');
  while (!turn.finished) {
    sleep(0.2 + Math.random() * 0.4); // the model thinks
    tools.callTool({ name: 'append', arguments: { text: turn.text } });
    turn = user.respond('done');
  }
  if (turn.isError) rollout.fail(turn.text);
}
