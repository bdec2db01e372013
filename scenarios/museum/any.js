// No exhibit's own: a plan that knows none of them. Rollouts take user turns, change
// something between them and look something up, on servers that take their time, as
// models do; whatever an exchange can meet is met, a little of each. Some callers give
// up, some ask twice at once, and some ask again for what they had. Bugs are to be
// caught by it without being looked for.
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';

export const options = { scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 64, iterations: 1 } } };

/** @type {import('k6/x/mcp').Cut[]} */
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'];
/** @type {(on: string) => import('k6/x/mcp').Fault[]} */
const everywhere = (on) => [
  ...cuts.map((cut) => ({ on, cut, manner: /** @type {const} */ ('rst'), share: cut === 'C3' ? 0.04 : 0.02 })),
  { on, cut: 'C1', manner: 'fin', at: 'initialize', share: 0.02 },
  { on, cut: 'C4', manner: 'rst', at: 'initialize', share: 0.01 },
  { on, status: 503, at: 'initialize', share: 0.02 },
  { on, status: 503, share: 0.02 },
  { on, cut: 'C8', manner: 'rst', at: 'delete', share: 0.1 },
  { on, cut: 'C8', manner: 'hold', at: 'delete', share: 0.01 },
  { on, idle: '250ms', manner: 'forget', share: 0.1 },
];

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: {
    sim: { server: 'usersim', turns: 3, stateful: true, turnLatency: '300ms', stateLatency: '300ms', stateFailures: 0.05 },
    tools: { server: 'ledger', stateful: true, toolLatency: '1s' },
    wiki: { server: 'wiki', toolLatency: '400ms' },
  },
  faults: [...everywhere('sim'), ...everywhere('tools'), { on: 'tools', status: 400, share: 0.04 }],
};

const opening = { name: 'respond', arguments: { message: '', seq: 0 } };

export default async function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim', { deadline: '5s' });
  const tools = rollout.connect('tools', { deadline: '5s' });
  const twice = Math.random() < 0.3 && user.callToolAsync(opening).catch(() => {});
  for (let said = '', n = 0; n < 8; n += 1) {
    const turn = user.respond(said);
    if (turn.finished && !turn.isError) break;
    if (turn.isError) continue; // its state could not be written: ask again
    said = 'done';
    sleep(0.1 + Math.random() * 0.3); // the model thinks
    const gaveUp = Math.random() < 0.05;
    try {
      tools.callTool({ name: 'append', arguments: { text: turn.text } }, gaveUp ? { cancelAfter: 50 } : {});
    } catch (e) {
      if (!gaveUp) throw e;
    }
  }
  await twice;
  if (Math.random() < 0.2) user.callTool(opening); // who drives it begins again
  rollout.connect('wiki', { deadline: '5s' }).callTool({ name: 'search_pages', arguments: { query: 'storms' } });
}
