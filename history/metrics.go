package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// MetricsFile holds what the engine measured of every arm.
const MetricsFile = "metrics.json"

// Metrics is metrics.json: what each arm's metrics came to and how its thresholds were
// judged, as the engine gave them when the run ended. It is part of the history: samples
// may be kept in buckets, from which a quantile cannot be computed again.
type Metrics struct {
	Schema int          `json:"schema"`
	Arms   []ArmMetrics `json:"arms"` // that ran, in order of declaration
}

// ArmMetrics is what the engine measured of one arm.
type ArmMetrics struct {
	Arm string `json:"arm"`
	// Duration is how long the arm's scenarios took, in nanoseconds.
	Duration   int64       `json:"duration_ns"`
	Metrics    []Metric    `json:"metrics"`
	Thresholds []Threshold `json:"thresholds,omitempty"` // in order of declaration
}

// Metric is one metric, or one part of a metric that a threshold names.
type Metric struct {
	Name string `json:"name"` // with the tags in braces for a part
	Type string `json:"type"` // counter, gauge, rate or trend
	// Contains is what the values are: time for milliseconds, data for bytes, else
	// default.
	Contains string `json:"contains"`
	Samples  int64  `json:"samples"`
	// Values are named as k6 names them: count and rate of a counter, value, min and max
	// of a gauge, rate, passes and fails of a rate, and the statistics of a trend.
	Values map[string]float64 `json:"values"`
}

// Threshold is what became of one threshold of an arm.
type Threshold struct {
	Metric string  `json:"metric"`
	Expr   string  `json:"expr"`
	Value  float64 `json:"value"`
	Status Status  `json:"status"` // Pass, Fail, or NotEvaluated when no sample came
	// Allowed is true where no sample came and the run was told to let that pass.
	Allowed bool `json:"allowed,omitempty"`
}

// WriteMetrics writes metrics.json into a run directory in one step.
func WriteMetrics(dir string, m Metrics) error {
	m.Schema = Schema
	data, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = writeWhole(filepath.Join(dir, MetricsFile), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("history: writing %s: %w", MetricsFile, err)
	}
	return nil
}

// ReadMetrics reads metrics.json of a run directory. A run that was killed, or that an
// older version made, has none, and the result is nil. The error wraps ErrSchema for a
// version that is not known, and ErrCorrupt for a file that cannot be read.
func ReadMetrics(dir string) (*Metrics, error) {
	data, err := readRegular(filepath.Join(dir, MetricsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	m := &Metrics{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, &LineError{File: MetricsFile, Line: 1, Err: ErrCorrupt, Text: err.Error()}
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("%w: %s says %d, this version reads %d", ErrSchema, MetricsFile, m.Schema, Schema)
	}
	return m, nil
}
