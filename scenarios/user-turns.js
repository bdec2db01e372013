// Hundreds of rollouts talk to the user simulator at once while connections are
// cut at every point of an exchange, by FIN and by RST. Each user turn must be
// taken exactly once, and no rollout may fail.
import mcp from 'k6/x/mcp';
import { check, sleep } from 'k6';

export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 512, iterations: 1 },
  },
};

// One rule for each cut point and manner; the first that matches wins.
/** @type {import('k6/x/mcp').Cut[]} */
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'];
/** @type {import('k6/x/mcp').Manner[]} */
const manners = ['fin', 'rst'];

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 4 } },
  policy: 'settle',
  faults: cuts.flatMap((cut) => manners.map((manner) => ({ on: 'sim', cut, manner, share: 0.025 }))),
  assert: ['exactly-once-turns', 'no-spurious-failure', 'truthful-outcome', 'isolation', 'blast-radius', 'bounded-retry'],
};

export default function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim');
  let turns = 0;
  let turn = user.respond(''); // the opening turn
  while (!turn.finished) {     // an empty message list ends it
    turns += 1;
    sleep(0.4 + Math.random() * 0.8); // the model thinks
    turn = user.respond(`done with turn ${turns}`);
  }
  if (turn.isError) rollout.fail(turn.text);
  check(turns, { 'the simulator spoke four times': (n) => n === 4 });
}
