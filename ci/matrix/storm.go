package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	storm "mcpstorm/xk6-mcp/run"
)

//go:embed matrix.js
var script []byte

// told is what the script is told.
type told struct {
	Era      string  `json:"era"`
	Opens    string  `json:"opens"`
	Closes   string  `json:"closes"`
	Each     int     `json:"each"` // rollouts of a cell: a few more than attempts are wanted
	Deadline string  `json:"deadline"`
	Quick    []point `json:"quick"`
	Slow     []point `json:"slow"`
}

// storm makes the run of one era and preset in a folder that is not there yet, and
// sorts what happened into its cells.
func (s settings) storm(ctx context.Context, dir, era, preset string) ([]*observed, error) {
	quick, slow := pointsOf(cellsOf(era, preset))
	text, err := json.Marshal(told{
		Era: era, Opens: opens(era, preset), Closes: closes(preset), Each: s.each + s.each/20 + 1, Deadline: s.deadline.String(),
		Quick: quick, Slow: slow,
	})
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "matrix.js")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return nil, err
	}
	// A verdict is no matter here: clients that lie and replay are part of the matrix.
	outcome, err := storm.Run(ctx, storm.Options{
		Script: path, Dir: filepath.Join(dir, "run"), Seed: 1, Era: era, Policies: []string{preset},
		Env: map[string]string{"MATRIX": string(text)}, NoCharts: true, NoHostProbe: true,
	})
	if err != nil {
		return nil, err
	}
	if len(outcome.Troubles) > 0 {
		return nil, errors.New(outcome.Troubles[0])
	}
	if outcome.Exit == storm.ExitStopped {
		return nil, context.Canceled
	}
	return observe(outcome.History, era, preset), nil
}
