// A tool call that changes something, between every two user turns, while the
// server that takes it loses connections. Is a change whose delivery is unknown
// ever made twice, or lost?
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 32, iterations: 1 },
  },
};

export const storm = {
  servers: {
    sim: { server: 'usersim', turns: 3 },
    tools: { server: 'ledger', toolLatency: '20ms' }, // its append is unsafe: a repeat appends twice
  },
  // settle asks the server what became of a call before it is sent again. What other
  // clients do: --policy at-least-once sends it twice, --policy verifiers-2134 gives up.
  policy: 'settle',
  faults: [
    { on: 'tools', cut: 'C2', manner: 'rst', share: 0.08 }, // half of the request arrives
    { on: 'tools', cut: 'C4', manner: 'fin', share: 0.08 }, // the answer is lost
  ],
  assert: ['no-unsafe-replay', 'no-spurious-failure', 'truthful-outcome'],
};

export default function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim');
  const tools = rollout.connect('tools');
  let turn = user.respond('');
  while (!turn.finished) {
    sleep(0.1 + Math.random() * 0.2); // the model thinks
    tools.callTool({ name: 'append', arguments: { text: turn.text } });
    turn = user.respond('done');
  }
}
