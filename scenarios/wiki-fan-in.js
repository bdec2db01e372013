// Every rollout reads from one shared server at once while connections are cut.
// Reading changes nothing, so a good client asks again; and each answer must
// belong to the question that was asked.
import mcp from 'k6/x/mcp';
import { check, sleep } from 'k6';

export const options = {
  scenarios: {
    readers: { executor: 'per-vu-iterations', vus: 512, iterations: 1 },
  },
};

/** @type {import('k6/x/mcp').Cut[]} */
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'];

/** @type {import('k6/x/mcp').Storm} */
export const storm = {
  servers: { wiki: { server: 'wiki', toolLatency: '20ms' } },
  policy: 'settle',
  faults: cuts.map((cut) => ({ on: 'wiki', cut, manner: 'fin', share: 0.04 })),
  assert: ['no-spurious-failure', 'truthful-outcome', 'isolation', 'blast-radius', 'bounded-retry'],
};

const topics = ['storms', 'harbours', 'clocks', 'letters'];

export default function () {
  const wiki = mcp.rollout().connect('wiki');
  for (const topic of topics) {
    sleep(Math.random() * 0.5); // the model thinks
    const { pages } = wiki.callTool({ name: 'search_pages', arguments: { query: topic } }).structuredContent;
    check(pages, { 'ten pages': (p) => p.length === 10 });
    const { sections } = wiki.callTool({ name: 'view_sections', arguments: { page_id: pages[0].page_id } }).structuredContent;
    const section = wiki.callTool({ name: 'read_section', arguments: { section_id: sections[0].section_id } });
    check(section, { 'a text': (s) => s.text.length > 0 });
  }
}
