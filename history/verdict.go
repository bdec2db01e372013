package history

// Status is the verdict on one invariant, or on a whole run.
type Status string

// The statuses. A run is Pass, Fail or Inconclusive; an invariant is Pass, Fail,
// NotEvaluated, or Known where it is violated and a list of known failures has that.
const (
	Pass         Status = "pass"
	Fail         Status = "fail"
	Inconclusive Status = "inconclusive"
	NotEvaluated Status = "not evaluated"
	Known        Status = "known failure"
)

// Interval is a rate with its 95 % confidence interval.
type Interval struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Clause is one part of an invariant that is judged by itself, such as
// "planned = started" of coverage.
type Clause struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
}

// Proof is the shortest evidence for one violation.
type Proof struct {
	Task string `json:"task,omitempty"`
	Op   string `json:"op,omitempty"`
	// Text says in one sentence what is wrong.
	Text string `json:"text"`
	// Events are the records that prove it, in plain words, in order.
	Events []string `json:"events,omitempty"`
}

// Invariant is the verdict on one invariant.
type Invariant struct {
	ID        string `json:"id"`
	Status    Status `json:"status"`
	Evaluated int    `json:"evaluated"`
	Violated  int    `json:"violated"`
	// Unit is what Evaluated counts: rollouts, operations, faults.
	Unit string `json:"unit"`
	// Reason says why an invariant was not evaluated or does not hold.
	Reason  string    `json:"reason,omitempty"`
	Rate    *Interval `json:"rate,omitempty"` // violated of evaluated
	Clauses []Clause  `json:"clauses,omitempty"`
	Proof   *Proof    `json:"proof,omitempty"`
}

// Rate is a measured rate that is reported and not judged, such as the share of
// operations told over-cautiously.
type Rate struct {
	Name string   `json:"name"`
	Text string   `json:"text"`
	Rate Interval `json:"rate"`
}

// Counts are the totals of a run.
type Counts struct {
	Rollouts  map[Outcome]int    `json:"rollouts"`
	Ops       map[Told]int       `json:"ops"`
	Attempts  int                `json:"attempts"` // attempts at operations, not exchanges
	Exchanges int                `json:"exchanges"`
	Faults    map[FaultState]int `json:"faults"`
	Cuts      map[string]int     `json:"cuts"` // delivered, by "C4 rst"
	Commits   int                `json:"commits"`
	Replays   int                `json:"replays"` // answers served from the record
}

// ArmRow is what one arm came to: a line of the table that compares arms. Rates
// of rollouts are per task, by its last rollout.
type ArmRow struct {
	Arm    string `json:"arm"`
	Policy string `json:"policy"` // one name, or SERVER=NAME, … where they differ
	// Failed are tasks whose last rollout failed; Spurious are those of them for
	// which nothing real was wrong.
	Failed   Interval `json:"failed"`
	Spurious Interval `json:"spurious"`
	// Unknown are operations told unknown, of all operations.
	Unknown Interval `json:"unknown"`
	// Absorbed counts answers that a server gave from its record instead of
	// executing again.
	Absorbed int `json:"absorbed"`
	// Replayed are operations executed twice or more, other than read-only and
	// idempotent ones, of all operations that a server recorded.
	Replayed Interval `json:"replayed"`
	Restarts int      `json:"restarts"` // rollouts beyond the first of their task
	Faults   int      `json:"faults"`   // delivered
	Judged   bool     `json:"judged"`
	Control  bool     `json:"control,omitempty"`
}

// Verdict is verdict.json: everything that was judged from a history. It is
// derived, and may be written again at any time.
type Verdict struct {
	Schema     int         `json:"schema"`
	Run        string      `json:"run"` // the run's id
	Status     Status      `json:"status"`
	Reason     string      `json:"reason,omitempty"`
	Invariants []Invariant `json:"invariants"`
	// NotAsserted are the invariants that the script's list leaves out, without their
	// proofs. They do not set the status.
	NotAsserted []Invariant `json:"not_asserted,omitempty"`
	Rates       []Rate      `json:"rates,omitempty"`
	Counts      Counts      `json:"counts"`
	// Arms compares the arms of the run, in order of declaration.
	Arms []ArmRow `json:"arms,omitempty"`
	// Truth is what callers were told against what was executed, for every arm that
	// has operations with a key, in order of declaration.
	Truth []TruthTable `json:"truth,omitempty"`
	// Recovery is how long servers took to serve again, for every judged arm that met
	// a fault and was asked something afterwards.
	Recovery []Recovery `json:"recovery,omitempty"`
	// Sweep is how much of its systematic plan each judged arm has covered.
	Sweep []SweepCoverage `json:"sweep,omitempty"`
	// Known are the entries of the list of known failures that are about this run.
	Known []KnownResult `json:"known,omitempty"`
}
