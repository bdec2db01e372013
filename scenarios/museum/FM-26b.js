// FM-26b: the connection of the opening breaks. The program that drives the rollout
// goes on, and asks for the opening once more when the next turn has been taken.
import mcp from 'k6/x/mcp';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3 } },
  faults: [{ on: 'sim', cut: 'C4', manner: 'rst', share: 0.3 }],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  let turn = user.respond('');
  const broken = user.last?.cutSeen;
  turn = user.respond('done');
  if (broken) user.callTool({ name: 'respond', arguments: { message: '', seq: 0 } });
  while (!turn.finished) turn = user.respond('done');
}
