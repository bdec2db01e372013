// Every single fault that four user turns can meet, on the first attempt or the
// second, and every pair of them: each rollout meets one case. The summary says
// how many of the possible ones were covered, and which cannot occur.
import mcp from 'k6/x/mcp';

export const options = {
  scenarios: {
    // As many rollouts as there are cases: 56 single faults and 1,960 pairs.
    rollouts: { executor: 'shared-iterations', vus: 128, iterations: 2016, maxDuration: '5m' },
  },
};

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3, sse: true } },
  policy: 'settle',
  faults: {
    sweep: {
      on: 'sim', ops: 4, // the four calls after the connect
      cuts: ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7'], manners: ['fin', 'rst'],
      attempts: 2, pairs: true,
    },
  },
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}
