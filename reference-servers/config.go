package refserver

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
)

// EffectSink keeps effect records. Effect returns after the record has been
// written through to the file, so that it survives a kill of the process.
// A Recorder never calls it from two goroutines at once.
type EffectSink interface {
	Effect(history.Effect) error
}

// Config says how a reference server is opened. The zero value is a right
// server under its kind's name that keeps no records.
type Config struct {
	Name string    // the server's name in the script; empty: the kind's name
	Arm  string    // the arm that it serves, for its records
	Seed seed.Root // all chance in the server comes from it

	Clock   clock.Clock // nil: the machine's own
	Base    *clock.Base // zero of the times in the records; nil: the opening
	Effects EffectSink  // nil: effects are not kept

	// Durable keeps in the record of effects whatever the server's state follows from,
	// so that a server that is opened with that record as its Past goes on where the
	// other ended. Only a kind that is Durable can be told so.
	Durable bool
	// Past is what earlier processes of a durable server recorded, in order.
	Past []history.Effect

	Bugs     []string // ids of the bugs to plant; all must be known to the kind
	Era      string   // the MCP version to speak; empty: the kind's first
	Stateful bool     // keep MCP sessions
	SSE      bool     // answer with event streams instead of JSON
	// Resumable gives every event of a stream an id, under which the rest of a
	// broken one is sent again. It implies Stateful and SSE.
	Resumable bool

	// Framing is how event streams are written; the zero value is the SDK's own way.
	Framing wire.SSEFraming

	// SessionTimeout ends a session that got no request for this long, in the
	// stateful form. Zero is ten minutes: sessions whose first answer was lost
	// can be closed by nobody else.
	SessionTimeout time.Duration
	// Blocks names the scenario that owns each block of task numbers. With it,
	// what is drawn for a task is drawn from (scenario, iteration) and is the
	// same in every arm; without it, from the task's id.
	Blocks map[int]string
	// MaxRollouts is how many rollouts the server will ever hold. Zero is a
	// million.
	MaxRollouts int
	// Admit is how many requests the server takes at once: one too many is refused by
	// a 503, before anything of MCP is read. Zero sets no bound.
	Admit  int
	Logger *slog.Logger // for the server's own troubles; nil: discarded

	Turns       int           // usersim: user turns in a conversation; zero is 4
	TurnLatency time.Duration // usersim: how long simulating a turn takes
	// StateLatency is how long usersim takes to write its shared state, which is how
	// it commits a turn, and StateFailures the share of those writes that fail.
	StateLatency  time.Duration
	StateFailures float64
	// ToolLatency is how long a call takes from begin to commit: append and put
	// of the ledger, every tool of the wiki.
	ToolLatency time.Duration
}

// HasBug reports whether the bug is planted.
func (c Config) HasBug(id string) bool { return slices.Contains(c.Bugs, id) }

// TaskNames are the names under which chance is drawn for the task that a
// rollout runs: the same for each of its restarts and, where Blocks knows the
// scenario, in every arm.
func (c Config) TaskNames(rollout string) []string {
	task := taskOf(rollout)
	if block, iteration, err := wire.SplitTask(task); err == nil {
		if scenario, ok := c.Blocks[block]; ok {
			return []string{scenario, strconv.FormatInt(iteration, 10)}
		}
	}
	return []string{task}
}

// taskOf drops the restart number: t000017.2 is a run of t000017. A rollout
// that some other client named otherwise is its own task.
func taskOf(rollout string) string {
	dot := strings.LastIndexByte(rollout, '.')
	if dot <= 0 {
		return rollout
	}
	if n, err := strconv.Atoi(rollout[dot+1:]); err != nil || n < 1 {
		return rollout
	}
	return rollout[:dot]
}

func (c Config) withDefaults() (Config, error) {
	if c.Resumable {
		c.Stateful, c.SSE = true, true
	}
	switch {
	case c.Stateful && c.Era == wire.EraStateless:
		return c, fmt.Errorf("%w: the era %s has no sessions to keep or resume", ErrConfig, c.Era)
	case c.Framing != (wire.SSEFraming{}) && !c.SSE:
		return c, fmt.Errorf("%w: a framing of event streams, and the server answers with JSON", ErrConfig)
	case c.Turns < 0:
		return c, fmt.Errorf("%w: turns %d is negative", ErrConfig, c.Turns)
	case c.TurnLatency < 0:
		return c, fmt.Errorf("%w: turn latency %v is negative", ErrConfig, c.TurnLatency)
	case c.StateLatency < 0:
		return c, fmt.Errorf("%w: state latency %v is negative", ErrConfig, c.StateLatency)
	case !(c.StateFailures >= 0 && c.StateFailures <= 1):
		return c, fmt.Errorf("%w: state failures %v: want a share from 0 to 1", ErrConfig, c.StateFailures)
	case c.ToolLatency < 0:
		return c, fmt.Errorf("%w: tool latency %v is negative", ErrConfig, c.ToolLatency)
	case c.SessionTimeout < 0:
		return c, fmt.Errorf("%w: session timeout %v is negative", ErrConfig, c.SessionTimeout)
	case c.Admit < 0:
		return c, fmt.Errorf("%w: bound of requests at once %d is negative", ErrConfig, c.Admit)
	case c.MaxRollouts < 0:
		return c, fmt.Errorf("%w: limit of rollouts %d is negative", ErrConfig, c.MaxRollouts)
	}
	if err := c.Framing.Check(); err != nil {
		return c, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Base == nil {
		c.Base = clock.NewBase(c.Clock)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.SessionTimeout == 0 {
		c.SessionTimeout = 10 * time.Minute
	}
	if c.MaxRollouts == 0 {
		c.MaxRollouts = 1_000_000
	}
	if c.Turns == 0 {
		c.Turns = 4
	}
	return c, nil
}
