import mcp from 'k6/x/mcp';

export const options = { iterations: 1 };
export const storm = { servers: { tools: 'wiki' }, faults: [], arms: { one: {}, other: {} } };

export default function () {
  mcp.rollout().connect('tools').callTool({ name: 'search_pages', arguments: { query: 'page' } });
}
