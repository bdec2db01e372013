// The calls of the older community module. It is only type-checked.
import mcp, { StreamableHTTPClient } from 'k6/x/mcp';
import { check } from 'k6';

export default function () {
  const http = new mcp.StreamableHTTPClient({ base_url: 'http://localhost:3001', timeout: '30s' });
  const stdio = new mcp.StdioClient({ path: 'npx', args: ['-y', 'server'], env: { DEBUG: '1' }, debug: true });
  const sse = new mcp.SSEClient({ base_url: 'http://localhost:3002' });
  for (const client of [http, stdio, sse, new StreamableHTTPClient({ base_url: 'http://localhost:3001' })]) {
    check(client.ping(), { there: (ok) => ok });
    client.listAllTools().tools.map((tool) => tool.name);
    const page = client.listTools({ cursor: '' });
    client.listTools({ cursor: page.next_cursor });
    console.log(client.callTool({ name: 'echo', arguments: { message: 'x' } }).content[0].text);
    client.listAllResources({}).resources.map((r) => client.readResource({ uri: r.uri }).contents);
    client.listAllPrompts().prompts.map((p) => client.getPrompt({ name: p.name }).messages);
    client.listResources().resources.map((r) => r.mime_type);
    client.listPrompts().prompts.map((p) => p.name);
  }

  // @ts-expect-error: base_url, not url
  new mcp.StreamableHTTPClient({ url: 'http://localhost:3001' });
  // @ts-expect-error: a child process has a path
  new mcp.StdioClient({ args: [] });
  // @ts-expect-error: the module has no close
  http.close();
  // @ts-expect-error: a tool has a name
  http.callTool({ arguments: {} });
}
