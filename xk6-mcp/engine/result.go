package engine

import "time"

// Result is a whole run.
type Result struct {
	// Start is when the scenarios began, and Duration how long they took.
	Start    time.Time
	Duration time.Duration
	// Init is how long it took to start the VUs.
	Init time.Duration
	// Scenarios are in the order of declaration.
	Scenarios []ScenarioResult
	// Metrics are every metric with a sample, and every sub-metric that a
	// threshold names, by name.
	Metrics []MetricSummary
	// Root is the tree of groups and checks.
	Root *GroupSummary
	// Outputs are what the script's handleSummary returned: the contents that
	// are to be written, by path or under "stdout" and "stderr". They take the
	// place of the usual summary. It is nil, and the usual summary due, when
	// the script exports no handleSummary or SummaryErr says why it failed.
	Outputs    map[string][]byte
	SummaryErr error
	// Thresholds are in the order of declaration.
	Thresholds []ThresholdResult
	// Errors are the exceptions of iterations, most frequent first, equal ones
	// counted together, at most 32 of them.
	Errors []ErrorCount
	// SetupErr and TeardownErr are what Run returned for these parts.
	SetupErr, TeardownErr error
	// AbortedBy says which threshold, or which call of exec.test.abort, ended
	// the run early; empty for none.
	AbortedBy string
	// Stopped is true when Run was stopped before every iteration had ended.
	Stopped bool
}

// ScenarioResult counts the iterations of one scenario. In the end
// Started + Restarted = Completed + Interrupted, and
// Started + Dropped = Planned unless Planned is -1.
type ScenarioResult struct {
	Name     string
	Executor string
	// VUs is how many VUs there were in the end, and MaxVUs how many there could
	// have been: zero unless the executor has an arrival rate.
	VUs, MaxVUs int
	// Planned is what Scenario.Planned says.
	Planned int64
	// Started counts iterations, and Restarted further runs of the same ones.
	Started, Restarted int64
	// Completed counts runs that ended by themselves; Failed are those of them
	// that ended in an exception. Interrupted counts runs that were cut short.
	Completed, Failed, Interrupted int64
	// Dropped counts iterations that never started.
	Dropped int64
	// Lateness is nil unless the executor has an arrival rate.
	Lateness *Lateness
}

// ErrorCount is one way in which iterations failed.
type ErrorCount struct {
	// Text is the position and message, with the callers of the first, and Stack
	// all its frames.
	Text  string
	Stack string
	Count int64
}

// Progress is a glance at a run under way.
type Progress struct {
	// Elapsed is the time since the scenarios began.
	Elapsed   time.Duration
	Scenarios []ScenarioProgress
}

// ScenarioProgress is a glance at one scenario.
type ScenarioProgress struct {
	Name    string
	Planned int64
	// Active is how many VUs are inside an iteration.
	Active int64
	// The counts mean what they mean in ScenarioResult.
	Started, Completed, Failed, Interrupted int64
	// Dropped counts the arrivals that have found no VU so far.
	Dropped int64
	// Share is how much of the scenario is done, from 0 to 1.
	Share float64
}
