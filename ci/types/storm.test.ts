// What the export storm may hold, and what it may not. It is only type-checked.
import type { Cut, Fault, Manner, Role, Storm } from 'k6/x/mcp';

const cuts: Cut[] = ['C0', 'C1', 'C2', 'C3', 'C3w', 'C4', 'C5', 'C6', 'C7', 'C8'];
const manners: Manner[] = ['fin', 'rst', 'hold', 'status', 'late'];
const roles: Role[] = ['initialize', 'initialized', 'call', 'list', 'read', 'get', 'delete', 'discover', 'settle', 'lookup'];

export const every: Fault[] = cuts.flatMap((cut) => manners.flatMap((manner) => roles.map((at) => ({ on: 'sim', cut, manner, at, share: 0.1 }))));

export const storm: Storm = {
  servers: {
    sim: 'usersim',
    slow: { server: 'usersim', turns: 3, turnLatency: '1s', stateLatency: '50ms', stateFailures: 0.1 },
    tools: { server: 'ledger', toolLatency: '20ms', isolate: true, era: '2026-07-28', policy: 'resume' },
    wiki: { server: 'wiki', stateful: true, sse: true, sseLines: 3, sseLineEnd: 'crlf', resumable: true },
    own: {
      url: 'http://127.0.0.1:8100/r/{rollout}/mcp', tools: { lookup: 'read-only' }, opArgument: 'op', seqArgument: 'seq',
      nonceArgument: 'nonce', settle: 'settle', lookup: 'lookup', headers: { Authorization: 'Bearer x' },
    },
  },
  policy: 'settle',
  faults: [
    { on: 'sim', cut: 'C4', manner: 'rst', at: 'call', share: 0.15, during: ['5s', '25s'], attempts: 1, tool: 'respond', first: 3 },
    { on: 'sim', cut: 'C4', share: [0, 0.3], during: ['5s', '25s'] },
    { on: 'sim', cut: 'C1', manner: 'fin', leg: 'client', during: 'start' },
    { on: 'sim', cut: 'C3', manner: 'hold', way: 'up', for: '5s' },
    { on: 'sim', status: 503 },
    { on: 'sim', status: { code: 429, when: 'after', retryAfter: '2s' }, share: 0.1 },
    { on: 'tools', op: 't000017/s02', attempt: 2, cut: 'C3w', at: 'read' },
    { on: 'sim', burst: { at: '8s', what: 'half' }, manner: 'rst' },
    { on: 'sim', burst: { at: '8s', what: 0.25 } },
    { on: 'sim', idle: '200ms', jitter: '5ms', manner: 'forget', share: 0.5, during: ['5s', '25s'] },
    { on: 'sim', accept: { at: '8s', for: '2s' }, manner: 'rst' },
    { on: 'sim', toxic: 'mcp_split', attributes: { size: 7, utf8: 1, crlf: 1, pause: 2 } },
    { on: 'sim', toxic: 'limit_data', stream: 'upstream', attributes: { bytes: 100 } },
    { on: 'sim', toxic: 'latency', stream: 'downstream', attributes: { latency: 200 }, toxicity: 0.5, during: ['5s', '25s'] },
  ],
  assert: ['exactly-once-turns', 'no-leak', 'recovery'],
  arms: { control: {}, other: { policy: 'at-least-once', bug: 'FM-01', judge: false, faults: [], era: '2025-11-25' } },
  restarts: { max: 2, include: ['unknown', 'fail'], exclude: ['tool_error'] },
  bug: ['FM-01', 'FM-04'],
  era: 'both',
  reissue: 'spec',
  heal: { at: '25s', within: '10s' },
};

export const swept: Storm = { servers: { sim: 'usersim' }, faults: { sweep: { on: 'sim', ops: 4, cuts: ['C1'], manners: ['fin'], pairs: false } } };

const servers = { sim: 'usersim' } as const;
// @ts-expect-error: a storm has servers
export const none: Storm = { policy: 'settle' };
// @ts-expect-error: faults, not fault
export const key: Storm = { servers, fault: [] };
// @ts-expect-error: no such reference server
export const server: Storm = { servers: { sim: 'usrsim' } };
// @ts-expect-error: turns is a number
export const turns: Storm = { servers: { sim: { server: 'usersim', turns: '4' } } };
// @ts-expect-error: neither server nor url
export const nobody: Storm = { servers: { sim: { turns: 4 } } };
// @ts-expect-error: no such replay class
export const tools: Storm = { servers: { own: { url: 'http://127.0.0.1:1/', tools: { x: 'readonly' } } } };
// @ts-expect-error: no such policy
export const policy: Storm = { servers, policy: 'settles' };
// @ts-expect-error: no such cut
export const cut: Storm = { servers, faults: [{ on: 'sim', cut: 'C9' }] };
// @ts-expect-error: no such manner
export const manner: Storm = { servers, faults: [{ on: 'sim', cut: 'C4', manner: 'drop' }] };
// @ts-expect-error: a fault is on a server
export const on: Storm = { servers, faults: [{ cut: 'C4' }] };
// @ts-expect-error: a listed fault has no share
export const listed: Storm = { servers, faults: [{ on: 'sim', op: 't000001/s02', cut: 'C4', share: 0.5 }] };
// @ts-expect-error: a burst has a time
export const burst: Storm = { servers, faults: [{ on: 'sim', burst: { what: 'half' } }] };
// @ts-expect-error: a time without accepts has a length
export const accept: Storm = { servers, faults: [{ on: 'sim', accept: { at: '8s' } }] };
// @ts-expect-error: no such toxic
export const toxic: Storm = { servers, faults: [{ on: 'sim', toxic: 'slow' }] };
// @ts-expect-error: a toxic acts on connections, which are at no step
export const started: Storm = { servers, faults: [{ on: 'sim', toxic: 'latency', during: 'start' }] };
// @ts-expect-error: a front end has no such answer
export const status: Storm = { servers, faults: [{ on: 'sim', status: 418 }] };
// @ts-expect-error: a window has two ends
export const during: Storm = { servers, faults: [{ on: 'sim', cut: 'C4', during: ['5s'] }] };
// @ts-expect-error: no such invariant
export const asserted: Storm = { servers, assert: ['exactly-once'] };
// @ts-expect-error: no such failure
export const restarts: Storm = { servers, restarts: { max: 1, include: ['timeout'] } };
export const uncontrolled: Storm = { servers, arms: { control: false, main: {} } };
// @ts-expect-error: an arm has no servers of its own
export const arm: Storm = { servers, arms: { main: { servers } } };
// @ts-expect-error: no such era
export const era: Storm = { servers, era: '2024-11-05' };
