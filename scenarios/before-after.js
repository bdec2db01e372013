// One plan, one load, every client policy that people ship: the table for a pull
// request that changes a retry policy. Only the last arm is judged; the others
// stand beside it.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 256, iterations: 1 },
  },
};

/** @type {import('k6/x/mcp').Cut[]} */
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'];
/** @type {(server: string) => import('k6/x/mcp').Fault[]} */
const on = (server) => cuts.map((cut) => ({ on: server, cut, manner: 'rst', share: 0.008 }));

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: {
    sim: { server: 'usersim', turns: 4 },
    tools: { server: 'ledger', toolLatency: '20ms' },
  },
  faults: [
    ...on('sim'),
    ...on('tools'),
    { on: 'sim', cut: 'C1', manner: 'fin', at: 'initialize', share: 0.02 },
    { on: 'tools', cut: 'C4', manner: 'fin', at: 'initialize', share: 0.02 },
  ],
  arms: {
    control: { policy: 'settle' },
    'verifiers-0.2.0': { policy: 'verifiers-0.2.0', judge: false },
    'go-sdk': { policy: 'go-sdk', judge: false },
    'at-most-once': { policy: 'at-most-once', judge: false },
    'verifiers-2134': { policy: 'verifiers-2134', judge: false },
    'at-least-once': { policy: 'at-least-once', judge: false },
    settle: { policy: 'settle' },
  },
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
