// One rollout meets one fault on either of its servers: the plan lists them, cell by
// cell. What holds a call until its deadline runs beside the rest, in more virtual users.
import mcp from 'k6/x/mcp';

const { era, opens, closes, each, deadline, quick, slow } = JSON.parse(__ENV.MATRIX);

const scenario = (cells, vus) => ({
  executor: 'shared-iterations', vus: Math.min(vus, cells.length * each), iterations: cells.length * each, maxDuration: '20m',
});

export const options = {
  scenarios: Object.fromEntries([['quick', quick, 40], ['slow', slow, 240]]
    .filter(([, cells]) => cells.length > 0).map(([name, cells, vus]) => [name, scenario(cells, vus)])),
};

const sides = [{ on: 'tools', connect: 's01', call: 's03', close: 's05' }, { on: 'sim', connect: 's02', call: 's04', close: 's06' }];

function faultsOf(block, cells) {
  const list = [];
  for (let i = 0; i < cells.length * each; i++) {
    const { cut, manner, at, status, late } = cells[i % cells.length];
    for (const side of sides) {
      let step = side.call; // which of the rollout's calls the exchange belongs to
      if (at === 'delete') step = side[closes];
      if (at === 'initialize' || at === 'discover') step = side[opens];
      const fault = { on: side.on, op: `t${String(block * 1000000 + i).padStart(6, '0')}/${step}`, cut, at };
      if (status) fault.status = status;
      else fault.manner = manner;
      if (late) fault.for = late;
      list.push(fault);
    }
  }
  return list;
}

// Only the run's own reading of the script needs the plan: every virtual user reads it
// too, and would hold a copy.
const faults = () => [...faultsOf(0, quick.length ? quick : slow), ...(quick.length && slow.length ? faultsOf(1, slow) : [])];

export const storm = {
  servers: {
    tools: { server: 'ledger', stateful: era === '2025-11-25', sse: true, toolLatency: '2ms' },
    sim: { server: 'usersim', stateful: era === '2025-11-25', turns: 1, turnLatency: '2ms' },
  },
  faults: __VU === 0 ? faults() : [],
  arms: { control: false, main: {} },
};

// told lets the rollout go on, as an environment that survives a lost call.
function told(call) {
  try {
    return call();
  } catch (e) {
    if (e.name !== 'McpError') throw e;
  }
}

export default function () {
  const rollout = mcp.rollout();
  const tools = told(() => rollout.connect('tools'));
  const sim = told(() => rollout.connect('sim'));
  if (tools) told(() => tools.callTool({ name: 'append', arguments: { text: 'x' } }, { deadline }));
  if (sim) told(() => sim.respond('', { deadline }));
  if (tools) told(() => tools.close());
  if (sim) told(() => sim.close());
}
