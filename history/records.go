package history

// Op is one line of ops.ndjson: one thing wanted done once. It is written when
// the operation ends, or when the run ends with the operation still pending
// (Told is then ToldNone).
type Op struct {
	Arm     string      `json:"arm"`
	Op      string      `json:"op"`      // t000017/s02
	Rollout string      `json:"rollout"` // t000017.1, the rollout that made the call
	Server  string      `json:"server"`  // the server's name in the script: sim, tools
	Kind    Kind        `json:"kind"`
	Tool    string      `json:"tool,omitempty"`
	Key     string      `json:"key,omitempty"` // seq:N, arg:VALUE or args:DIGEST#n
	Class   ReplayClass `json:"class,omitempty"`
	Policy  string      `json:"policy"`
	Told    Told        `json:"told"`
	// Deadline is the longest that the policy lets the whole operation take, in
	// nanoseconds: every attempt's deadline and every pause between them.
	Deadline int64 `json:"deadline_ns"`
	Attempts int   `json:"attempts"`
	// Budget is the most attempts that the policy allows.
	Budget int `json:"budget,omitempty"`
	// Settled is how an unknown operation was settled: "result", "voided" or empty.
	Settled string `json:"settled,omitempty"`
	// Nonce is what the arguments carried to be echoed, and Echo what the result
	// carried back: they must be the same.
	Nonce string `json:"nonce,omitempty"`
	Echo  string `json:"echo,omitempty"`
	// Knowable is true when the client could know that nothing ran: every dial
	// failed, or no request byte was handed to the kernel, or a definite refusal came.
	Knowable bool   `json:"knowable,omitempty"`
	Cause    *Cause `json:"cause,omitempty"`
	// Diagnostics are what the client wrote down of the failure, where it does.
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"`
	// Cancelled is when the caller cancelled the operation; zero when it did not.
	Cancelled Instant `json:"cancelled_ns,omitempty"`
	// Interrupted is true when the run was stopped while the operation ran.
	Interrupted bool    `json:"interrupted,omitempty"`
	Start       Instant `json:"start_ns"`
	End         Instant `json:"end_ns"`
}

// Cause is why something did not end well.
type Cause struct {
	// Class is a stable word: dial, no_byte_written, reset, eof, truncated,
	// deadline, cancelled, http_status, rpc_error, bad_answer, tool_error,
	// host_limit (no descriptor, port or buffer was left on our own machine),
	// own_limit (the answer was larger than we read), sdk, other.
	Class  string `json:"class"`
	Text   string `json:"text"`
	Status int    `json:"status,omitempty"` // HTTP status, when one came
	Code   int    `json:"code,omitempty"`   // JSON-RPC error code, when one came
}

// Attempt is one line of attempts.ndjson: one HTTP exchange of an attempt at an
// operation, as the client saw it.
type Attempt struct {
	Arm      string       `json:"arm"`
	Op       string       `json:"op"`
	Rollout  string       `json:"rollout"`
	Attempt  int          `json:"attempt"`  // 1 is the first
	Exchange int          `json:"exchange"` // ordinal within the attempt, from 1
	Role     ExchangeRole `json:"role"`
	Tool     string       `json:"tool,omitempty"` // of a tool call
	Server   string       `json:"server"`
	Era      string       `json:"era"`
	// Told is what this exchange alone would tell the caller.
	Told Told `json:"told"`
	// Trace is the furthest the exchange got: dial_failed, no_byte_written,
	// wrote, first_byte, answered.
	Trace   string  `json:"trace"`
	ConnNew bool    `json:"conn_new"`
	Written int64   `json:"written"` // request bytes handed to the kernel
	Read    int64   `json:"read"`    // answer bytes read from it
	Status  int     `json:"status,omitempty"`
	Cause   *Cause  `json:"cause,omitempty"`
	Mark    *Mark   `json:"mark,omitempty"`
	Start   Instant `json:"start_ns"`
	End     Instant `json:"end_ns"`
}

// Mark is what the plan says about one exchange, whether or not it was armed or
// delivered. It is computed from the plan alone, apart from the fault layer, so
// that a fault layer that does nothing is noticed.
type Mark struct {
	Rule   string `json:"rule"`
	Cut    string `json:"cut"`
	Manner string `json:"manner"`
}

// Turn is one user turn in a rollout's transcript.
type Turn struct {
	Op       string `json:"op"`
	Key      string `json:"key"`
	Told     Told   `json:"told"`
	Nonce    string `json:"nonce,omitempty"`    // minted by the simulator per advance
	Finished bool   `json:"finished,omitempty"` // the simulator had nothing more to say
}

// RolloutCause is why a rollout did not complete.
type RolloutCause struct {
	Op   string `json:"op,omitempty"` // the operation whose McpError escaped
	Told Told   `json:"told,omitempty"`
	Text string `json:"text"`
	At   string `json:"at,omitempty"` // file:line:column, for a script error
}

// Rollout is one line of rollouts.ndjson: one run of a task.
type Rollout struct {
	Arm       string        `json:"arm"`
	Scenario  string        `json:"scenario"`
	Task      string        `json:"task"`    // t000017
	Rollout   string        `json:"rollout"` // t000017.1
	Iteration int64         `json:"iteration"`
	VU        int           `json:"vu"`
	Outcome   Outcome       `json:"outcome"`
	Cause     *RolloutCause `json:"cause,omitempty"`
	Turns     []Turn        `json:"turns,omitempty"`
	Ops       int           `json:"ops"`
	Start     Instant       `json:"start_ns"`
	End       Instant       `json:"end_ns"`
}

// Wire is one line of wire.<server>.ndjson: one HTTP exchange at the server's
// end of the fault layer, whatever the client believes.
type Wire struct {
	Arm      string       `json:"arm"`
	Server   string       `json:"server"`
	Conn     int64        `json:"conn"`     // ordinal of the proxied connection
	Exchange int          `json:"exchange"` // ordinal on the connection, from 1
	Rollout  string       `json:"rollout,omitempty"`
	Key      string       `json:"key,omitempty"`
	Tool     string       `json:"tool,omitempty"`
	Hint     string       `json:"hint,omitempty"` // the Mcpstorm-Op header, as sent
	Method   string       `json:"method"`         // HTTP method
	RPC      string       `json:"rpc,omitempty"`  // JSON-RPC method
	Role     ExchangeRole `json:"role,omitempty"`
	// Handed is true when the whole request was handed to the server's socket.
	Handed bool       `json:"handed"`
	Status int        `json:"status,omitempty"`
	Result ResultSeen `json:"result"`
	Up     int64      `json:"up"`   // request bytes handed to the server
	Down   int64      `json:"down"` // answer bytes seen from it
	// Left is what followed where the client left before the answer was whole; else nil.
	Left  *Left   `json:"left,omitempty"`
	Start Instant `json:"start_ns"`
	End   Instant `json:"end_ns"`
}

// Left is what the witness saw of an exchange whose server was told that the client was
// gone, by the client's own doing or by a fault's. In the 2026-07-28 era that cancels it.
// All its times are of the witness's own clock. A zero Watched with Ended false means
// that nothing could be seen: after an RST nothing can arrive, and bytes on a connection
// with several open exchanges belong to no one of them.
type Left struct {
	At     Instant `json:"at_ns"`  // when the FIN or RST was handed to the server's socket
	Manner string  `json:"manner"` // fin or rst
	// Gone says that certainly nobody took what the server sent any more. After a FIN
	// alone a client may still read.
	Gone bool `json:"gone,omitempty"`
	// Bytes is how many came from the server after that, those under way included, and
	// Last when the last of them came, in nanoseconds after At. Message is when the last
	// JSON-RPC message among them began, in nanoseconds after At, and zero where none did:
	// HTTP has bytes of its own to end with. Watched is for how many nanoseconds after At
	// everything that came was read. All three are lower bounds: however late the witness
	// is in reading a socket, no byte seems later than it was.
	Bytes   int64 `json:"bytes,omitempty"`
	Last    int64 `json:"last_ns,omitempty"`
	Message int64 `json:"message_ns,omitempty"`
	Watched int64 `json:"watched_ns,omitempty"`
	// Ended says that the server ended its side, so that nothing could follow.
	Ended bool `json:"ended,omitempty"`
}

// Fault is one line of faults.ndjson: what became of one planned fault.
type Fault struct {
	Arm      string       `json:"arm"`
	Server   string       `json:"server"`
	Rule     string       `json:"rule"`
	Op       string       `json:"op,omitempty"`
	Rollout  string       `json:"rollout,omitempty"`
	Attempt  int          `json:"attempt,omitempty"`
	Role     ExchangeRole `json:"role,omitempty"`
	Cut      string       `json:"cut,omitempty"`
	Manner   string       `json:"manner,omitempty"`
	Status   int          `json:"status,omitempty"` // HTTP status of a front end, for the manner status
	Leg      string       `json:"leg,omitempty"`    // the one leg that was cut; the other stayed open
	Way      string       `json:"way,omitempty"`    // the one way that was held: up or down
	Toxic    string       `json:"toxic,omitempty"`  // for FaultInstalled
	State    FaultState   `json:"state"`
	Reason   string       `json:"reason,omitempty"`
	Conn     int64        `json:"conn"`
	Exchange int          `json:"exchange,omitempty"`
	Up       int64        `json:"up"`   // request bytes of this exchange that reached the server
	Down     int64        `json:"down"` // answer bytes of this exchange that reached the client
	At       Instant      `json:"at_ns"`
}

// Effect is one line of effects.<server>.<n>.ndjson: a step of an execution as
// the server itself recorded it, written before the answer goes out.
type Effect struct {
	Arm      string     `json:"arm"`
	Server   string     `json:"server"`
	Kind     EffectKind `json:"kind"`
	N        int64      `json:"n"` // ordinal in this server process, from 1
	Rollout  string     `json:"rollout"`
	Key      string     `json:"key,omitempty"`
	Tool     string     `json:"tool,omitempty"`
	Digest   string     `json:"digest,omitempty"`   // short digest of the arguments under the key
	Sequence int64      `json:"sequence,omitempty"` // for commit: ordinal of the commit in its conversation, from 1
	Nonce    string     `json:"nonce,omitempty"`
	State    string     `json:"state,omitempty"`    // for commit: short digest of the conversation's state after it
	Replayed bool       `json:"replayed,omitempty"` // for answer: served from the record
	Reason   string     `json:"reason,omitempty"`   // for abort and refuse
	// Arguments are, for a commit of a durable server, what it rebuilds its state from
	// when it is started again: those of the call, as JSON.
	Arguments string  `json:"arguments,omitempty"`
	At        Instant `json:"at_ns"`
}

// Sample is one line of samples.ndjson: one k6-style metric point, or a second of
// them where there is a bucket.
type Sample struct {
	Arm    string            `json:"arm"`
	Metric string            `json:"metric"`
	Value  float64           `json:"value"`
	Tags   map[string]string `json:"tags,omitempty"`
	At     Instant           `json:"at_ns"`
	// Bucket is the samples of the second that begins at At; Value is their mean.
	Bucket *Bucket `json:"bucket,omitempty"`
}

// PlanRule is one line of plan.ndjson: one resolved fault rule.
type PlanRule struct {
	Arm        string         `json:"arm"`
	Rule       string         `json:"rule"` // r01, r02, … in order of declaration
	On         string         `json:"on"`   // the server's name in the script
	Cut        string         `json:"cut,omitempty"`
	Manner     string         `json:"manner,omitempty"`
	Detail     *PlanDetail    `json:"detail,omitempty"`
	At         ExchangeRole   `json:"at,omitempty"`
	Share      float64        `json:"share,omitempty"` // the most that a ramp reaches
	Ramp       []float64      `json:"ramp,omitempty"`  // the share at either end of During
	Attempts   int            `json:"attempts,omitempty"`
	Tool       string         `json:"tool,omitempty"`  // only calls of this tool
	First      int            `json:"first,omitempty"` // only steps up to this one
	During     []string       `json:"during,omitempty"`
	Case       int            `json:"case,omitempty"`    // of a sweep, from 1
	Idle       []string       `json:"idle,omitempty"`    // how long a connection is idle before it is cut, at least and at most
	Op         string         `json:"op,omitempty"`      // list plans: the one operation meant
	Attempt    int            `json:"attempt,omitempty"` // list plans: the one attempt meant
	Toxic      string         `json:"toxic,omitempty"`
	Stream     string         `json:"stream,omitempty"`
	Toxicity   float64        `json:"toxicity,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
	NotSeeded  bool           `json:"not_seeded,omitempty"`
}

// PlanDetail is what the manner of a planned fault says beside its name.
type PlanDetail struct {
	Code       int    `json:"code,omitempty"`        // of a front end's answer
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
	Location   string `json:"location,omitempty"`    // of a redirect
	Leg        string `json:"leg,omitempty"`         // the one leg that is cut
	Way        string `json:"way,omitempty"`         // the one way that is held
	For        string `json:"for,omitempty"`         // how long a hold lasts, or how late what is late passes
}
