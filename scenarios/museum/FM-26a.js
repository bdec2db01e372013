// FM-26a: the simulator has advanced, and its new state cannot be written. The turn is
// asked for again.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2, stateFailures: 0.2 } },
  faults: [{ on: 'sim', cut: 'C4', manner: 'rst', share: 0.1 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  let said = '';
  for (let n = 0; n < 30; n++) {
    const turn = user.respond(said);
    if (turn.finished && !turn.isError) return;
    if (!turn.isError) said = 'done';
  }
}
