// Package community gives k6/x/mcp the call surface of the older community
// module for MCP, so that scripts written for it run unchanged:
//
//	const client = new mcp.StdioClient({ path: 'npx', args: ['-y', 'some-server'], env: [], debug: false });
//	const client = new mcp.SSEClient({ base_url: 'http://127.0.0.1:3001/sse' });
//	const client = new mcp.StreamableHTTPClient({ base_url: 'http://127.0.0.1:3001/mcp' });
//	client.ping(); client.listAllTools().tools; client.callTool({ name, arguments }).content[0].text;
//
// The clients are those of the official Go SDK. They go straight to their
// server, past the fault layer, and write nothing into the history: a script
// that wants faults or a verdict uses mcp.rollout. Beside a storm export they
// are ordinary load, also when base_url names one of the storm's servers.
//
// What a script sees otherwise than in the original:
//
//   - A client connects when it is first used, so that it can be made in init
//     code, where protocol calls are forbidden, as well as in an iteration. What
//     cannot work at all (a program that is not there, a host that is not this
//     machine, an unknown key) is refused when the client is made.
//   - Every call, and connecting, has a deadline: the key timeout, in
//     milliseconds or as '30s'; 60 s by default. The original has none.
//   - Every method emits the three metrics of the package, with the method's Go
//     name in the tag method. ping and listTools emit nothing in the original.
//   - A session that has broken is given up, and the next call opens another one.
//   - A client that was made in an iteration is kept, as scripts that make one
//     for each virtual user expect; but once the virtual user makes another with
//     the same settings in a later iteration, the session of the first is closed,
//     and opened again only when it is used again. All sessions are closed, and
//     server processes ended, when the engine run is over. The original closes
//     nothing.
//   - Results also carry MCP's own names (isError, nextCursor) beside those of the
//     original (is_error, next_cursor), where loops and JSON do not see them.
//     Binary contents are base64, as on the wire.
//
// The key debug prints what a server process writes to its stderr on the console;
// over HTTP there is none, and the key changes nothing.
//
// As in the original, a tool result with is_error is a success to the metrics and
// throws nothing: the call was made, and answered.
package community
