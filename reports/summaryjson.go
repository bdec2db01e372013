package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// SummaryFile is the name of a run's summary for machines within its directory.
const SummaryFile = "summary.json"

// Summary is summary.json: the verdict with all its fields, what was run, and what was
// measured. docs/summary.schema.json describes it. Fields may be added to it, and none
// is removed or changed without a new Schema.
type Summary struct {
	history.Verdict
	Script  history.Script `json:"script"`
	Seed    uint64         `json:"seed"`
	State   string         `json:"state"` // of the run: see history.RunState
	Start   time.Time      `json:"start"`
	Version string         `json:"version"`
	// Command makes the run again.
	Command string `json:"command"`
	// Metrics are those of every arm that ran; empty where the run kept none.
	Metrics []history.ArmMetrics `json:"metrics"`
}

// JSON writes summary.json. Credentials are taken out of its texts, which are otherwise
// as they were recorded. metrics may be nil. The only error is that of w.
func JSON(w io.Writer, run *history.Run, v history.Verdict, metrics *history.Metrics) error {
	m := &run.Manifest
	command, _ := repeat(m)
	summary := Summary{
		Verdict: v, Script: m.Script, Seed: m.Seed, State: string(m.State), Start: m.Wall.UTC(), Version: m.Version,
		Command: command, Metrics: []history.ArmMetrics{},
	}
	if metrics != nil {
		summary.Metrics = append(summary.Metrics, metrics.Arms...)
	}
	data, err := json.MarshalIndent(safe.Redacted(summary), "", "  ")
	if err != nil {
		return fmt.Errorf("reports: encoding the summary: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
