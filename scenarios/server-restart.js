// Both servers are processes of their own, and are killed while rollouts run: right
// after a commit, before its answer is given. They are started again on the same
// address and go on from their own record. Write durable: false beside isolate: true,
// and they begin anew: turns are taken a second time, and what settle decided is
// forgotten.
//
// A kill costs each operation that is under way on its server one of six attempts, and
// one that begins while the server is down two or three. So each server is killed twice
// and no more, both times for one rollout, whose second operation is not sent before
// the first has got through. A share of the operations would kill the more often the
// more rollouts there are, until no client's attempts suffice.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 64, iterations: 1 },
  },
};

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: {
    sim: { server: 'usersim', turns: 4, isolate: true },
    tools: { server: 'ledger', toolLatency: '20ms', isolate: true },
  },
  policy: 'settle',
  faults: [
    { on: 'sim', kill: { after: 'commit', down: '200ms' }, op: 't000007/s05' },
    { on: 'sim', kill: { after: 'commit', down: '200ms' }, op: 't000007/s09' },
    { on: 'tools', kill: { after: 'commit', down: '200ms' }, op: 't000003/s04' },
    { on: 'tools', kill: { after: 'commit', down: '200ms' }, op: 't000003/s08' },
  ],
  assert: ['exactly-once-turns', 'no-unsafe-replay', 'no-spurious-failure', 'truthful-outcome', 'blast-radius', 'bounded-retry'],
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
