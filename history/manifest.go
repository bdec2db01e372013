package history

import (
	"encoding/json"
	"time"
)

// RunState is how far a run got.
type RunState string

// The states of a run. A manifest that still says StateRunning belongs to a run
// that is under way, or whose process was killed.
const (
	StateRunning  RunState = "running"
	StateFinished RunState = "finished"
	StateStopped  RunState = "stopped" // ended from outside, by a signal
	StateFailed   RunState = "failed"  // its history could not be written whole: see Errors
)

// Manifest is manifest.json: how the run was made. It is written when the run
// starts and again when it ends.
type Manifest struct {
	Schema int      `json:"schema"`
	ID     string   `json:"id"`
	State  RunState `json:"state"`
	Script Script   `json:"script"`
	Seed   uint64   `json:"seed"`
	// Options are the script's options after every override; Storm is its export
	// of that name, credentials taken out: what an override made of it stands in Arms.
	Options json.RawMessage `json:"options,omitempty"`
	Storm   json.RawMessage `json:"storm,omitempty"`
	// Overrides are what the command line put over the script, if anything.
	Overrides *Overrides `json:"overrides,omitempty"`
	// Version is mcpstorm's version and Revision the commit it was built from.
	Version  string    `json:"version"`
	Revision string    `json:"revision,omitempty"`
	Go       string    `json:"go"`
	Host     Host      `json:"host"`
	Wall     time.Time `json:"wall"` // wall-clock time of Instant 0
	Eras     []string  `json:"eras"` // of MCP that its arms speak, the oldest first
	// Reissue is spec when clients of the 2026-07-28 era sent a call again whose
	// answer broke, as that era's changelog asks; empty when they did not.
	Reissue string `json:"reissue,omitempty"`
	Arms    []Arm  `json:"arms"`
	// NoControl says that the run is to have no control arm, though it may have faults.
	NoControl bool `json:"no_control,omitempty"`
	// Assert lists the invariants that the run is judged by, beside coverage and
	// no-hang, which always are.
	Assert []string `json:"assert"`
	// Named lists those of Assert that the script named itself: one that cannot
	// be evaluated makes the run inconclusive.
	Named []string `json:"named,omitempty"`
	// Known is the list of known failures that the run is judged with.
	Known []KnownFailure `json:"known,omitempty"`
	// Notes are things a reader of the numbers must know, such as "not seeded".
	Notes []string `json:"notes,omitempty"`
	// Records counts the lines of each file, as they were when the run ended: what
	// is missing later is noticed.
	Records map[string]int64 `json:"records,omitempty"`
	// Digests are of the bytes of each file, before it was packed, as they were then: what
	// is changed later is noticed. A run that was killed, or that an older version made,
	// has none.
	Digests map[string]string `json:"digests,omitempty"`
	// Samples says in what form the metric points were kept, once the run has ended.
	Samples *Samples `json:"samples,omitempty"`
	// Stalls says how long writers waited for a full queue.
	Stalls *Stalls `json:"stalls,omitempty"`
	// Errors are failures of the harness itself. One makes the run inconclusive.
	Errors []string `json:"errors,omitempty"`
}

// Ended reports whether the run came to its end and its history is whole: what is missing
// or torn in it is then damage.
func (m *Manifest) Ended() bool { return m.State == StateFinished || m.State == StateStopped }

// Script is the scenario script of a run.
type Script struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Host is what the machine allowed.
type Host struct {
	CPUs    int    `json:"cpus"`
	NoFile  uint64 `json:"nofile"` // soft limit of open descriptors
	OS      string `json:"os"`
	GoDebug string `json:"godebug,omitempty"`
	McpGo   string `json:"mcpgodebug,omitempty"`
}

// Arm is one whole engine run inside a run.
type Arm struct {
	Name      string            `json:"name"`
	Control   bool              `json:"control,omitempty"` // same load, no faults
	Judge     bool              `json:"judge"`
	Policies  map[string]string `json:"policies"` // by server name
	Bugs      []string          `json:"bugs,omitempty"`
	Servers   []Server          `json:"servers"`
	Scenarios []Scenario        `json:"scenarios"`
	// Lateness is how late timers fired while the arm ran: what the host's
	// processors did to the generator. Nil when it was not measured.
	Lateness *Lateness `json:"lateness,omitempty"`
	// DialErrors counts connections for which the fault layer could not reach the
	// server, and AcceptErrors those that this
	// machine could not carry, such as with a full descriptor table.
	DialErrors   int64 `json:"dial_errors,omitempty"`
	AcceptErrors int64 `json:"accept_errors,omitempty"`
	// Untracked counts connections that the witness could not follow to their end:
	// of what passed on them afterwards it knows nothing.
	Untracked int64 `json:"untracked,omitempty"`
	// Stalls is how long writers of the history waited during the arm.
	Stalls *Stalls `json:"stalls,omitempty"`
	// Heal is the phase at the arm's end in which no fault is armed, if it has one.
	Heal *Heal `json:"heal,omitempty"`
	// Sweep says what the arm's systematic plan is made of, if it has one.
	Sweep *Sweep  `json:"sweep,omitempty"`
	Start Instant `json:"start_ns"`
	End   Instant `json:"end_ns"`
}

// Heal is the phase in which everything must converge: from At on, since the arm
// began, no rule of the plan is armed.
type Heal struct {
	At time.Duration `json:"at_ns"`
	// Within is how long after At every operation, rollout and server may take to
	// be well again.
	Within time.Duration `json:"within_ns"`
}

// Sweep is a systematic plan before it ran: every single placement of a fault and
// every pair, each a case of its own that one rollout meets. The cases stand in
// plan.ndjson.
type Sweep struct {
	// Placements counts all single ones, and Pairs all pairs of them.
	Placements int `json:"placements"`
	Pairs      int `json:"pairs"`
	Cases      int `json:"cases"` // that can occur: alone or as a pair
	// Excluded are the others, by the reason why they cannot occur.
	Excluded []Excluded `json:"excluded,omitempty"`
}

// Excluded counts placements, alone or in pairs, that cannot occur.
type Excluded struct {
	Pairs  bool   `json:"pairs,omitempty"` // they are pairs, and not single ones
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Lateness summarises how much later than asked a short timer fired.
type Lateness struct {
	P50     time.Duration `json:"p50_ns"`
	P99     time.Duration `json:"p99_ns"`
	Max     time.Duration `json:"max_ns"`
	Samples int64         `json:"samples"`
}

// Server is one server under test in an arm.
type Server struct {
	Name      string `json:"name"`                // in the script: sim, tools
	Reference string `json:"reference,omitempty"` // usersim, ledger, …
	URL       string `json:"url,omitempty"`       // a server of the user's own
	Era       string `json:"era"`
	Effects   bool   `json:"effects"` // it records its own executions
	// Died is the end of its process where no fault of the plan ended it.
	Died *Death `json:"died,omitempty"`
	// Keys says how an operation on it is named: see internal/wire.KeyRule.
	SeqArgument string   `json:"seq_argument,omitempty"`
	OpArgument  string   `json:"op_argument,omitempty"`
	About       []string `json:"about,omitempty"`
	// NonceArgument is the argument that every result must echo.
	NonceArgument string                 `json:"nonce_argument,omitempty"`
	Classes       map[string]ReplayClass `json:"classes,omitempty"` // by tool
}

// Death is how a server process ended that was neither asked nor made to.
type Death struct {
	Signal int    `json:"signal,omitempty"` // that killed it; zero where it ended by itself
	How    string `json:"how"`              // "was killed by signal 9"
}

// Scenario is one scenario of an arm and the block of task numbers it owns.
type Scenario struct {
	Name     string `json:"name"`
	Executor string `json:"executor"`
	VUs      int    `json:"vus"`
	// Planned is how many iterations were to start; -1 when only time bounds it.
	Planned int64 `json:"planned"`
	Block   int   `json:"block"`
}

// Stalls is how long writers of the history waited because the queue was full.
type Stalls struct {
	Waited  time.Duration `json:"waited_ns"`
	Count   int64         `json:"count"`
	Records int64         `json:"records"`
}
