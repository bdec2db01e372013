// Rollouts talk to a user simulator while their connections are cut. Is every
// user turn taken exactly once, and does any rollout fail for no real reason?
import mcp from 'k6/x/mcp';
import { check, sleep } from 'k6';

// How much is run, in the words of k6. From the command line: --vus 512.
export const options = {
  scenarios: {
    rollouts: { executor: 'per-vu-iterations', vus: 32, iterations: 1 },
  },
  // A threshold that fails ends the run with exit code 99.
  thresholds: { checks: ['rate>0.99'] },
};

// What is driven, what breaks, and what must hold all the same.
export const storm = {
  servers: { sim: { server: 'usersim', turns: 4 } },
  policy: 'settle', // what the client does when something goes wrong; try --policy at-least-once
  faults: [
    // The request is read, and never given to the server.
    { on: 'sim', cut: 'C1', manner: 'rst', share: 0.1 },
    // The answer is lost after the turn was taken: a client that asks again must get the same turn.
    { on: 'sim', cut: 'C4', manner: 'rst', share: 0.1 },
  ],
  assert: ['exactly-once-turns', 'no-spurious-failure'],
};

// One iteration is one rollout.
export default function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim');
  let turns = 0;
  let turn = user.respond(''); // the opening turn
  while (!turn.finished) {     // an empty message list ends it
    turns += 1;
    sleep(0.1 + Math.random() * 0.2); // the model thinks
    turn = user.respond(`done with turn ${turns}`);
  }
  if (turn.isError) rollout.fail(turn.text);
  check(turns, { 'the simulator spoke four times': (n) => n === 4 });
}
