// How many rollouts a second can a server take before turns become slow? The
// rate rises in steps, whatever the server does; an iteration that finds no free
// virtual user is dropped, and counted.
import mcp from 'k6/x/mcp';

export const options = {
  scenarios: {
    arrivals: {
      executor: 'ramping-arrival-rate',
      startRate: 5, timeUnit: '1s',
      stages: [
        { duration: '2s', target: 5 },
        { duration: '1s', target: 20 },
        { duration: '2s', target: 20 },
      ],
      preAllocatedVUs: 60, maxVUs: 100,
    },
  },
  thresholds: {
    // The limit that makes a rate too high. With abortOnFail the run ends there.
    'mcp_op_duration{kind:turn}': [{ threshold: 'p(95)<2000', abortOnFail: true, delayAbortEval: '2s' }],
    dropped_iterations: ['count<10'],
  },
};

export const storm = {
  servers: { sim: { server: 'usersim', turns: 2, turnLatency: '50ms' } },
  // Nothing is cut: what is measured is the load alone. To see what cuts cost, write
  // faults: [{ on: 'sim', cut: 'C4', manner: 'rst', share: 0.05 }].
  faults: [],
  arms: { main: {} }, // without faults there is nothing for an arm control to show
  assert: ['exactly-once-turns', 'no-spurious-failure'],
};

export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}
