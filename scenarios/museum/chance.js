// FM-05 by chance: nothing here aims at it. Rollouts think as long as they like, a few
// connections break anywhere in an exchange, and the state of a turn takes a moment to
// be written. A turn that is visible before it is committed has to be met by itself.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'shared-iterations', vus: 128, iterations: 2000, maxDuration: '10m' } } };

/** @type {import('k6/x/mcp').Cut[]} */
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'];
/** @type {import('k6/x/mcp').Manner[]} */
const manners = ['fin', 'rst'];

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3, stateLatency: '200ms' } },
  faults: cuts.flatMap((cut) => manners.map((manner) => ({ on: 'sim', cut, manner, share: 0.005 }))),
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) sleep(Math.random() * 0.5);
}
