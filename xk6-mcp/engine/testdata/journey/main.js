// A load test as people write them: two scenarios, setup and teardown, data,
// groups, checks, metrics of its own, thresholds on tags, and its own summary.
import exec from 'k6/execution';
import encoding from 'k6/encoding';
import { check, group, sleep } from 'k6';
import { SharedArray } from 'k6/data';
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';
import { Shop } from './lib/shop.ts';
import money, { defaults, percent } from './lib/text.js';

const items = new SharedArray('items', () => JSON.parse(open('./data/items.json')));
console.log(`loaded ${items.length} items`);

const orders = new Counter('orders');
const basket = new Gauge('basket_size');
const orderErrors = new Rate('order_errors');
const pageTime = new Trend('page_time', true);

export const options = {
  setupTimeout: '10s',
  teardownTimeout: 5000,
  tags: { suite: 'journey' },
  summaryTrendStats: ['avg', 'med', 'p(99)', 'max', 'count'],
  scenarios: {
    browse: {
      executor: 'ramping-vus',
      exec: 'browse',
      startVUs: 0,
      stages: [
        { duration: '4s', target: 4 },
        { duration: '4s', target: 4 },
        { duration: '4s', target: 0 },
      ],
      gracefulRampDown: '2s',
      gracefulStop: '2s',
      env: { DEVICE: 'phone' },
      tags: { kind: 'reader' },
    },
    orders: {
      executor: 'constant-arrival-rate',
      exec: 'order',
      startTime: '1s',
      rate: 10,
      timeUnit: '1s',
      duration: '5s',
      preAllocatedVUs: 10,
      maxVUs: 20,
      env: { DEVICE: 'desktop' },
      tags: { kind: 'buyer' },
    },
  },
  thresholds: {
    checks: ['rate>0.9'],
    dropped_iterations: ['count==0'],
    'page_time{page:search}': ['p(95)<300', 'max<=250'],
    'checks{kind:buyer}': [{ threshold: 'rate>0.5', abortOnFail: true, delayAbortEval: '2s' }],
    'iteration_duration{scenario:browse}': ['avg<1000', 'avg>700'],
    'group_duration{group:::visit::search}': ['med<=300'],
    order_errors: ['rate<0.1'],
  },
};

export function setup() {
  console.log(`setup for ${__ENV.TARGET}`);
  const token = encoding.b64encode(`user:${__ENV.TARGET}`);
  return { token, startedAt: Date.now(), cities: new Set(['Bonn', 'Oslo']).size };
}

function visit(page) {
  const begun = Date.now();
  sleep(defaults.think);
  pageTime.add(Date.now() - begun, { page });
  return { status: 200, page, body: JSON.stringify({ page, device: __ENV.DEVICE }) };
}

export function browse(data) {
  exec.vu.metrics.tags.session = `${exec.vu.idInTest}-${exec.vu.iterationInScenario}`;
  group('visit', () => {
    for (const page of defaults.pages) {
      group(page, () => {
        const answer = visit(page);
        check(answer, {
          'status is 200': (r) => r.status === 200,
          'page is right': ({ page: got }) => got === page,
        });
      });
    }
  });
  check(data, {
    'has a token': (d) => encoding.b64decode(d.token, 'std', 's') === 'user:staging',
    'knows its device': __ENV.DEVICE === 'phone',
  });
}

export async function order({ token }) {
  const { iterationInTest } = exec.scenario;
  const shop = new Shop([...items]);
  const wait = (ms) => new Promise((resolve) => setTimeout(() => resolve(ms), ms));
  const [fast] = await Promise.all([wait(20), wait(50)]);
  const item = iterationInTest % 5 === 4 ? 2 : iterationInTest % 2;
  let receipt = null;
  try {
    receipt = shop.order(item);
    orders.add(1, { item: receipt.item });
  } finally {
    orderErrors.add(receipt === null);
    basket.add(shop.sold);
    check(receipt, {
      'was sold': (r) => r?.item !== undefined,
      'is a known price': (r) => ['40 EUR', '120 EUR'].includes(money(r?.paid ?? 40)),
    }, { token: token.slice(0, 4), fast: String(fast) });
  }
}

// Averages keeps a running mean of each kind of check in private fields.
class Averages {
  #sum = 0;
  #n = 0;
  static of = (values) => values.reduce((a, v) => a.add(v), new Averages());
  add(value) {
    this.#sum += value;
    this.#n++;
    return this;
  }
  get mean() {
    return this.#n === 0 ? NaN : this.#sum / this.#n;
  }
}

function countChecks(node) {
  const own = node.checks.reduce((sum, c) => sum + c.passes + c.fails, 0);
  return node.groups.reduce((sum, child) => sum + countChecks(child), own);
}

export function teardown(data) {
  if (data.cities !== 2) throw new Error('setup data was lost');
  console.warn(`torn down after ${exec.instance.iterationsCompleted}`);
}

export function handleSummary(data) {
  const { iterations, orders: sold, checks } = data.metrics;
  const failed = Object.entries(data.metrics)
    .flatMap(([name, m]) => Object.entries(m.thresholds ?? {}).filter(([, t]) => !t.ok).map(([expr]) => `${name} ${expr}`));
  if (countChecks(data.root_group) !== checks.values.passes + checks.values.fails) {
    throw new Error('the tree of checks and the metric disagree');
  }
  const { mean } = Averages.of(Object.values(data.metrics).map((m) => m.values.count ?? 0));
  if (!(mean > 0)) throw new Error('no metric counts anything');
  const seconds = data.state.testRunDurationMs / 1000;
  return {
    stdout: `${iterations.values.count} iterations in ${seconds} s, ${sold.values.count} orders to ${__ENV.TARGET}, checks ${percent(checks.values.rate)}\n`,
    'reports/failed.txt': failed.join('\n'),
    'reports/raw.json': JSON.stringify(data, null, 2),
  };
}
