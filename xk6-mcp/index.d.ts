// Types of the module k6/x/mcp and of the export storm of a mcpstorm script, for
// editors and for tsc. What stands here is what mcpstorm accepts: a name that is not
// here is refused before the run (storm) or with a TypeError (calls).
//
// A JavaScript script names the type in a comment:
//
//     /** @type {import('k6/x/mcp').Storm} */
//     export const storm = { servers: { sim: 'usersim' } };

declare module 'k6/x/mcp' {
  // ---------------------------------------------------------------- rollouts

  /**
   * The rollout of the running iteration: one run of a task. It is the same object
   * however often it is asked for, and belongs to its iteration: in init code, in
   * setup and teardown, and in a later iteration it throws a TypeError.
   */
  export function rollout(): Rollout;

  const mcp: {
    rollout: typeof rollout;
    StdioClient: typeof StdioClient;
    SSEClient: typeof SSEClient;
    StreamableHTTPClient: typeof StreamableHTTPClient;
  };
  export default mcp;

  /** One run of a task. */
  export interface Rollout {
    /** The rollout's id: `t000017.2` is the second run of task 17. */
    readonly id: string;
    /** The task's id, the same in every restart: `t000017`. */
    readonly task: string;
    /** 1 for the first run of the task, and one more for every restart. */
    readonly restart: number;
    /**
     * Connects to a server of `storm.servers`. Under a policy that holds a session it
     * opens one; else nothing is sent before the first call.
     *
     * @throws TypeError when the server or an option is unknown.
     * @throws {@link McpError} when no session could be opened.
     */
    connect(server: string, options?: ConnectOptions): Connection;
    /** Ends the rollout as failed, with a cause that is genuine: the script's own. */
    fail(reason?: string): never;
  }

  /**
   * A duration such as `'200ms'`, `'2s'` or `'1m30s'`, or a number of milliseconds.
   */
  export type CallDuration = string | number;

  /** What connect takes beside the server's name. */
  export interface ConnectOptions extends Deadline {
    /** The client's policy, in place of the one that the storm names. */
    policy?: PolicyName;
    /**
     * Sent with every request, beside and above the headers of `storm.servers`. What
     * the client itself sets cannot be given. A credential is sent and never recorded.
     */
    headers?: Record<string, string>;
    /** A bearer token: sent as `Authorization`, and never recorded or printed. */
    bearer?: string;
    /** Tags of the samples of connecting. */
    tags?: Tags;
  }

  /** What bounds each attempt at an operation, in place of the policy's deadline. */
  export interface Deadline {
    deadline?: CallDuration;
    /** k6's word for `deadline`. Giving both is a TypeError. */
    timeout?: CallDuration;
  }

  /**
   * Tags added to every sample of one call. The module's own (kind, tool, server,
   * told, policy, arm, method) cannot be given.
   */
  export type Tags = Record<string, string> & {
    kind?: never; tool?: never; server?: never; told?: never; policy?: never; arm?: never; method?: never;
  };

  /** What every call takes as its last argument. */
  export interface CallOptions extends Deadline {
    tags?: Tags;
  }

  /** What one call of a tool, or a turn, can be given. */
  export interface ToolCallOptions extends CallOptions {
    /**
     * When the script cancels its call, as a user who gives up does. Nothing more is sent
     * for it, and it throws with what is known by then.
     */
    cancelAfter?: CallDuration;
  }

  // -------------------------------------------------------------- connections

  /**
   * A connection of a rollout to one server. Every call on it is an operation: it
   * takes the next number of the rollout when it is made, is retried as its policy
   * says for its replay class, and is recorded. What changes nothing (every list,
   * read and ping) is read-only.
   *
   * A call throws an {@link McpError} when it brought no answer, and a TypeError when
   * it is not made as it should be.
   */
  export interface Connection {
    /** The server's name in `storm.servers`. */
    readonly server: string;
    /**
     * What the operation that ended last came to, a failed one too. Right after an
     * `await` of one call it is that call's.
     */
    readonly last: Outcome;

    /**
     * Takes the next turn of a user simulator. The opening turn has the message `''`.
     */
    respond(message?: string, options?: ToolCallOptions): Turn;
    /** Calls a tool. A tool's own error is a result with `isError`. */
    callTool(call: ToolCall, options?: ToolCallOptions): ToolResult;
    /**
     * Calls a tool beside the script. Calls that overlap have a client each, with a
     * network connection of its own and, under a policy that holds a session, a session
     * of its own; a client is used again when its call has ended. At most 256 calls of
     * one connection can be under way. An iteration ends after the last of its calls.
     */
    callToolAsync(call: ToolCall, options?: ToolCallOptions): Promise<ToolResult>;
    /** Lists the tools: all pages, unless `pages` says fewer. */
    listTools(page?: Page, options?: CallOptions): { tools: Tool[]; nextCursor?: string };
    /** Lists the resources: all pages, unless `pages` says fewer. */
    listResources(page?: Page, options?: CallOptions): { resources: Resource[]; nextCursor?: string };
    /** Lists the resource templates: all pages, unless `pages` says fewer. */
    listResourceTemplates(page?: Page, options?: CallOptions): { resourceTemplates: ResourceTemplate[]; nextCursor?: string };
    /** Reads a resource. */
    readResource(resource: { uri: string }, options?: CallOptions): ResourceContents;
    /** Lists the prompts: all pages, unless `pages` says fewer. */
    listPrompts(page?: Page, options?: CallOptions): { prompts: Prompt[]; nextCursor?: string };
    /** Gets a prompt, filled in with its arguments. */
    getPrompt(prompt: { name: string; arguments?: Record<string, string> }, options?: CallOptions): FilledPrompt;
    /** Asks whether the server is there. The era 2026-07-28 has no ping. */
    ping(options?: CallOptions): true;
    /** Closes the connection; any call after it is a TypeError. */
    close(): void;
  }

  /** One page of a list, or several. A cursor is only sure to mean something in the session that it came from. */
  export interface Page {
    /** Where to begin: the `nextCursor` of an earlier page. */
    cursor?: string;
    /** The most pages to fetch, from 1; without it, all of them. */
    pages?: number;
  }

  /** A tool call. */
  export interface ToolCall {
    name: string;
    /**
     * The tool's arguments. The operation's id and a nonce are filled in where the
     * server wants them and they are left out.
     */
    arguments?: object;
  }

  /** What a tool answered. */
  export interface ToolResult {
    /** The text of its content, block by block. */
    text: string;
    isError: boolean;
    content: { type: string; text: string }[];
    /** `null` when there is none. */
    structuredContent: any;
  }

  /** A user turn. */
  export interface Turn {
    text: string;
    messages: { role: string; content: string }[];
    /** True when the simulator has nothing more to say. */
    finished: boolean;
    isError: boolean;
    /** The simulator's own id of the turn; empty when it gives none. */
    nonce: string;
  }

  /** A tool as tools/list has it. */
  export interface Tool {
    name: string;
    title?: string;
    description?: string;
    inputSchema: any;
    outputSchema?: any;
    annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean; title?: string };
  }

  /** A resource as resources/list has it. */
  export interface Resource {
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    size?: number;
  }

  /** A resource template as resources/templates/list has it. */
  export interface ResourceTemplate {
    uriTemplate: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
  }

  /** What a resource holds. */
  export interface ResourceContents {
    contents: { uri: string; mimeType?: string; text?: string; blob?: string }[];
    /** The texts of the contents, one after the other. */
    text: string;
  }

  /** A prompt as prompts/list has it. */
  export interface Prompt {
    name: string;
    title?: string;
    description?: string;
    arguments?: { name: string; description?: string; required?: boolean }[];
  }

  /** A prompt that was filled in. */
  export interface FilledPrompt {
    description?: string;
    messages: { role: string; content: any }[];
  }

  // ---------------------------------------------------------------- outcomes

  /**
   * What the caller was told in the end: the result; the tool's or the server's own
   * error; that nothing ran; that it may or may not have run; or nothing at all.
   */
  export type Told = 'ok' | 'tool_error' | 'not_executed' | 'unknown' | 'none';

  /** What an operation wanted done. */
  export type Kind =
    | 'connect' | 'turn' | 'tool' | 'close'
    | 'list-tools' | 'list-resources' | 'list-resource-templates' | 'read-resource' | 'list-prompts' | 'get-prompt' | 'ping';

  /** How far an exchange got whose connection ended early, as the client saw it. */
  export type Trace = 'dial_failed' | 'no_byte_written' | 'wrote' | 'first_byte';

  /** Why an operation did not end in ok. */
  export interface Cause {
    /**
     * A stable word: dial, no_byte_written, reset, eof, truncated, deadline, cancelled,
     * http_status, rpc_error, bad_answer, tool_error, host_limit, own_limit,
     * unsupported, sdk, other.
     */
    class: string;
    text: string;
    /** The HTTP status, 0 when none came. */
    status: number;
    /** The JSON-RPC error code, 0 when none came. */
    code: number;
  }

  /** What an operation came to, as plain data. */
  export interface Outcome {
    /** The operation's id: `t000017/s02`. */
    op: string;
    kind: Kind;
    told: Told;
    attempts: number;
    /** True when a connection ended early under any of its exchanges. */
    cutSeen: boolean;
    /** How far the last such exchange got; null when there was none. */
    trace: Trace | null;
    /** The last HTTP status that came, 0 when none did. */
    status: number;
    cause: Cause | null;
    /** How an unknown operation was settled: its result came back, or it was voided and sent again. */
    settled: 'result' | 'voided' | null;
    durationMs: number;
  }

  /**
   * What a call throws that brought no answer. It is no class to be imported: its name
   * is `'McpError'`.
   */
  export interface McpError extends Error {
    name: 'McpError';
    op: string;
    told: Exclude<Told, 'ok'>;
    attempts: number;
    cause?: Cause;
  }

  // ------------------------------------------------------------------- storm

  /** A duration such as `'200ms'`, `'2s'` or `'1m30s'`. */
  export type Duration = string;

  /** The export `storm`: which servers are driven, what is broken, and what is asserted. */
  export interface Storm {
    /** The servers, by the names under which connect finds them. */
    servers: Record<string, StormServer>;
    /** The policy of every client; `settle` when left out. */
    policy?: PolicyName;
    /** The fault plan: rules, of which the first that matches wins, or one sweep. */
    faults?: Fault[] | { sweep: Sweep };
    /** The ids of planted bugs, such as `FM-01`. */
    bug?: string | string[];
    /** The invariants that must be evaluated; left out, all that can be. */
    assert?: Invariant[];
    /**
     * `{control: {faults: []}, main: {}}` when left out. Where an arm has faults and `control` is not named, it
     * comes first all the same; `control: false` is a run without one.
     */
    arms?: { control?: Arm | false; [name: string]: Arm | false | undefined };
    restarts?: Restarts;
    /** The protocol version of every server that names none, or both. */
    era?: Era | 'both';
    /** Lets clients of the 2026-07-28 era send a call again whose answer broke. */
    reissue?: 'spec';
    /** A phase without faults at the end of every arm: how long all may take to be well. */
    heal?: Duration | { at?: Duration; within: Duration };
  }

  /** The versions of the protocol. */
  export type Era = '2025-11-25' | '2026-07-28';

  /** A whole engine run inside the run, on fresh servers. */
  export interface Arm {
    policy?: PolicyName;
    faults?: Fault[] | { sweep: Sweep };
    bug?: string | string[];
    /** False: it is tabulated and sets no verdict. */
    judge?: boolean;
    era?: Era;
  }

  /** When a failed rollout is run again. */
  export interface Restarts {
    /** The most restarts of one task. */
    max?: number;
    /** The failures to restart after; left out, all. */
    include?: Failure[];
    /** The failures not to restart after. */
    exclude?: Failure[];
  }

  export type Failure = Exclude<Told, 'ok'> | 'fail';

  /** The presets of the recording client. */
  export type PolicyName =
    | 'verifiers-0.2.0' | 'at-most-once' | 'at-least-once' | 'verifiers-2134' | 'settle' | 'resume' | 'go-sdk'
    | 'verifiers-10c58131c' | 'verifiers-dc1a15bc6' | 'verifiers-4ad49c3d3' | 'verifiers-fea04957b' | 'verifiers-0.2.1' | 'ignores-cancel'
    | 'ignores-veto' | 'lookup' | 'always-unknown' | 'never-retries' | 'teardown-masks';

  /** The reference servers. */
  export type ReferenceName = 'usersim' | 'ledger' | 'wiki';

  /** What a repeat of a tool's call would do. */
  export type ReplayClass = 'read-only' | 'idempotent' | 'keyed' | 'resolvable' | 'unsafe';

  /** A server under test: a reference server by its name or in full, or one of your own. */
  export type StormServer = ReferenceName | ReferenceServer | OwnServer;

  export interface ServerBase {
    /** The policy of the clients of this server. */
    policy?: PolicyName;
    era?: Era;
    /** Sent with every request; credentials are never recorded. */
    headers?: Record<string, string>;
  }

  export interface ReferenceServer extends ServerBase {
    server: ReferenceName;
    /** Runs it as a process of its own. */
    isolate?: boolean;
    /**
     * usersim, ledger, with `isolate`: its state outlives its process, as that of a server
     * with a disk does; true when left out. False: what is killed begins anew.
     */
    durable?: boolean;
    /** Keeps MCP sessions. */
    stateful?: boolean;
    /** Answers with event streams. */
    sse?: boolean;
    /** With `sse`: each event in so many data lines, broken between the tokens of its JSON. */
    sseLines?: number;
    /** With `sse`: how lines end; `lf` when left out. */
    sseLineEnd?: 'lf' | 'crlf' | 'cr';
    /** Event streams that can be resumed. */
    resumable?: boolean;
    /** usersim: user turns in a conversation. */
    turns?: number;
    /** usersim: how long a turn takes. */
    turnLatency?: Duration;
    /** usersim: how long it takes to write the shared state that commits a turn. */
    stateLatency?: Duration;
    /** usersim: the share of those writes that fail, from 0 to 1. */
    stateFailures?: number;
    /** ledger, wiki: how long a call takes. */
    toolLatency?: Duration;
    /** How many requests it takes at once; one too many is refused by a 503. */
    admit?: number;
    url?: never;
  }

  export interface OwnServer extends ServerBase {
    /** `http://127.0.0.1:PORT/PATH`; `{rollout}` in it is replaced. */
    url: string;
    /** The replay class of each tool; one that is not listed is unsafe. */
    tools?: Record<string, ReplayClass>;
    /** The argument that numbers a turn. */
    seqArgument?: string;
    /** The argument that names an operation. */
    opArgument?: string;
    /** The argument that every result must carry back. */
    nonceArgument?: string;
    /** The tool that decides an operation for good. */
    settle?: string;
    /** The tool that tells whether an operation has run. */
    lookup?: string;
    server?: never;
  }

  /** The stable ids of what is asserted. */
  export type Invariant =
    | 'exactly-once-turns' | 'no-unsafe-replay' | 'no-spurious-failure' | 'truthful-outcome' | 'no-hang' | 'no-leak'
    | 'isolation' | 'blast-radius' | 'bounded-retry' | 'recovery' | 'coverage';

  // ------------------------------------------------------------------- faults

  /**
   * Where an exchange is cut: C0 the connection is refused; C1 the request is read and
   * withheld; C2 part of it is given; C3 all of it, then both legs are cut; C3w all of
   * it is withheld; C4 the result is withheld until it was seen, then cut; C5 only the
   * answer's head is given; C6 part of its body; C7 all of it, and the stream stays
   * open; C8 a clean-up exchange fails.
   */
  export type Cut = 'C0' | 'C1' | 'C2' | 'C3' | 'C3w' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8';

  /** How it is cut: in order, by a reset, not at all while nothing more passes, by an answer of a front end, or late. */
  export type Manner = 'fin' | 'rst' | 'hold' | 'status' | 'late';

  /** The part that an exchange plays in an attempt. */
  export type Role = 'initialize' | 'initialized' | 'call' | 'list' | 'read' | 'get' | 'delete' | 'discover' | 'settle' | 'lookup';

  /** What a front end can answer. */
  export type StatusCode = 202 | 307 | 400 | 404 | 405 | 408 | 421 | 429 | 500 | 502 | 503 | 504;

  /** Two times since the arm began, or the churn when all begin at once. */
  export type Window = 'start' | [Duration, Duration];

  /** One rule of a fault plan. */
  export type Fault = ShareFault | ListedFault | BurstFault | IdleFault | AcceptFault | KillShareFault | KillListedFault | KillAtFault | ToxicFault;

  export interface FaultBase {
    /** The name of the server whose exchanges are cut. */
    on: string;
  }

  /** What share rules and listed faults have in common. One of cut and status is there. */
  export interface CutBase extends FaultBase {
    cut?: Cut;
    /** `rst` when left out; `hold` for C3w. */
    manner?: Manner;
    /** The exchange that is cut; `call` when left out. */
    at?: Role;
    /** When it is armed; left out, always. */
    during?: Window;
    /** A front end that answers in place of the server, before forwarding or after. */
    status?: StatusCode | { code: StatusCode; when?: 'before' | 'after'; retryAfter?: Duration; location?: string };
    /** How long a hold lasts, or how late what is late passes. */
    for?: Duration;
    /** The one leg that a fin or rst ends. */
    leg?: 'client' | 'server';
    /** The one way of a hold. */
    way?: 'up' | 'down';
    burst?: never;
    idle?: never;
    accept?: never;
    toxic?: never;
  }

  /** A seeded share of the exchanges. */
  export interface ShareFault extends CutBase {
    /** In [0, 1], or the two ends of a ramp over a window of two times; 1 when left out. */
    share?: number | [number, number];
    /** Marks only the first attempts of an operation; 2 when left out. */
    attempts?: number;
    /** Only calls of this tool. */
    tool?: string;
    /** Only the first operations of a rollout. */
    first?: number;
    op?: never;
    attempt?: never;
  }

  /** One exchange: the form in which a plan is stored and repeated. */
  export interface ListedFault extends CutBase {
    /** `t000017/s02` */
    op: string;
    /** 1 when left out. */
    attempt?: number;
    share?: never;
    attempts?: never;
    tool?: never;
    first?: never;
  }

  /** Open connections cut together. */
  export interface BurstFault extends FaultBase {
    burst: { at: Duration; what?: 'half' | 'all' | number };
    manner?: 'fin' | 'rst' | 'hold';
    for?: Duration;
    cut?: never;
    idle?: never;
    accept?: never;
    toxic?: never;
    share?: never;
    at?: never;
  }

  /** Connections that are idle for a time: closed, or forgotten until the next request comes. */
  export interface IdleFault extends FaultBase {
    /** How long, after an answer. */
    idle: Duration;
    /** Each time is this much longer or shorter at most; less than `idle`. */
    jitter?: Duration;
    /** `fin` when left out; `forget` answers the next request by a reset. */
    manner?: 'fin' | 'rst' | 'hold' | 'forget';
    /** The seeded share of the connections, in [0, 1]; 1 when left out. */
    share?: number;
    /** How long a hold lasts. */
    for?: Duration;
    during?: [Duration, Duration];
    cut?: never;
    burst?: never;
    accept?: never;
    toxic?: never;
    at?: never;
  }

  /** A time in which no connection is taken: they wait, or are refused by a reset. */
  export interface AcceptFault extends FaultBase {
    accept: { at: Duration; for: Duration };
    /** `hold` when left out. */
    manner?: 'hold' | 'rst';
    cut?: never;
    burst?: never;
    idle?: never;
    toxic?: never;
    share?: never;
    at?: never;
  }

  /** What marks the exchanges after whose commit a server is killed. */
  export interface KillBase extends FaultBase {
    /**
     * The process of a server with `isolate: true` is killed when the result has been
     * seen, before a byte of it is given, and started again on its address after `down`.
     */
    kill: { after: 'commit'; at?: never; down?: Duration };
    /** The exchange; `call` when left out. */
    at?: 'call' | 'settle';
    /** When it is armed; left out, always. */
    during?: Window;
    cut?: never;
    status?: never;
    burst?: never;
    toxic?: never;
    manner?: never;
  }

  /** Kills after the commit of a seeded share of the exchanges. */
  export interface KillShareFault extends KillBase {
    /** As of a share of cuts. */
    share?: number | [number, number];
    attempts?: number;
    tool?: string;
    first?: number;
    op?: never;
    attempt?: never;
  }

  /** A kill after the commit of one exchange. */
  export interface KillListedFault extends KillBase {
    /** `t000017/s02` */
    op: string;
    /** 1 when left out. */
    attempt?: number;
    share?: never;
    attempts?: never;
    tool?: never;
    first?: never;
  }

  /** A kill at a time, whatever is under way. */
  export interface KillAtFault extends FaultBase {
    kill: { at: Duration; after?: never; down?: Duration };
    cut?: never;
    status?: never;
    burst?: never;
    toxic?: never;
    share?: never;
    manner?: never;
    at?: never;
  }

  /** One of toxiproxy's toxics, or `mcp_split`, which breaks nothing and writes the same bytes in other pieces. */
  export interface ToxicFault extends FaultBase {
    toxic: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'slicer' | 'limit_data' | 'mcp_split';
    /** `downstream` when left out. */
    stream?: 'upstream' | 'downstream';
    /** In [0, 1]; below 1 it is not seeded. */
    toxicity?: number;
    attributes?: Record<string, number>;
    /** When it acts, on connections that are open as on new ones; left out, always. */
    during?: [Duration, Duration];
    cut?: never;
    burst?: never;
    idle?: never;
    accept?: never;
    share?: never;
    manner?: never;
    at?: never;
  }

  /** Every single placement of a fault, and every pair, divided among the rollouts. */
  export interface Sweep extends FaultBase {
    /** How many calls a rollout makes after its connect, or their steps: `['s02', 's03']`. */
    ops: number | string[];
    at?: Role;
    cuts?: Cut[];
    manners?: ('fin' | 'rst' | 'hold')[];
    attempts?: number;
    pairs?: boolean;
  }

  // ------------------------------------------------- the older community module

  /** What the clients of the older community module can be told beside their server. */
  export interface CommunityOptions {
    debug?: boolean;
    /** Bounds connecting and each call; a minute when left out. */
    timeout?: CallDuration;
  }

  /**
   * The calls of the older community module. They are no operations: they are counted
   * in mcp_request_duration, mcp_request_count and mcp_request_errors with the tag
   * method, and not recorded, cut or judged. Fields of MCP have the module's names
   * (`next_cursor`), and those of the wire (`nextCursor`) too.
   */
  export interface CommunityClient {
    ping(): boolean;
    listTools(page?: { cursor?: string }): CommunityPage & { tools: CommunityTool[] };
    listAllTools(page?: { cursor?: string }): { tools: CommunityTool[] };
    callTool(call: { name: string; arguments?: object }): CommunityToolResult;
    listResources(page?: { cursor?: string }): CommunityPage & { resources: CommunityResource[] };
    listAllResources(page?: { cursor?: string }): { resources: CommunityResource[] };
    readResource(resource: { uri: string }): { contents: CommunityContents[] };
    listPrompts(page?: { cursor?: string }): CommunityPage & { prompts: Prompt[] };
    listAllPrompts(page?: { cursor?: string }): { prompts: Prompt[] };
    getPrompt(prompt: { name: string; arguments?: Record<string, string> }): FilledPrompt;
  }

  export interface CommunityPage {
    next_cursor?: string;
    nextCursor?: string;
  }

  export interface CommunityTool {
    name: string;
    title?: string;
    description?: string;
    input_schema?: any;
    inputSchema?: any;
    output_schema?: any;
    outputSchema?: any;
    annotations?: any;
  }

  export interface CommunityResource {
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mime_type?: string;
    mimeType?: string;
  }

  export interface CommunityContents {
    uri: string;
    mime_type?: string;
    mimeType?: string;
    text?: string;
    blob?: string;
  }

  export interface CommunityToolResult {
    content: { type: string; text?: string; [field: string]: any }[];
    is_error: boolean;
    isError: boolean;
    structured_content?: any;
    structuredContent?: any;
  }

  /** A client of a server that is a child process. */
  export class StdioClient implements CommunityClient {
    constructor(options: { path: string; args?: string[]; env?: string[] | Record<string, string> } & CommunityOptions);
  }

  /** A client over the HTTP+SSE transport of 2024-11-05. Loopback only. */
  export class SSEClient implements CommunityClient {
    constructor(options: { base_url: string } & CommunityOptions);
  }

  /** A client over streamable HTTP. Loopback only. */
  export class StreamableHTTPClient implements CommunityClient {
    constructor(options: { base_url: string } & CommunityOptions);
  }

  export interface StdioClient extends CommunityClient {}
  export interface SSEClient extends CommunityClient {}
  export interface StreamableHTTPClient extends CommunityClient {}
}
