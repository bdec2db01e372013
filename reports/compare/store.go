package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcpstorm/history"
)

// Open measures the run that a path names, or reads the measurement that Save wrote. A
// torn last line, as a kill leaves it, is an error like any other.
func Open(path string) (*Measured, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() && filepath.Ext(path) == ".json" {
		return read(path)
	}
	dir, err := history.Resolve(path)
	if err != nil {
		return nil, err
	}
	run, err := history.Open(dir)
	if err != nil {
		return nil, err
	}
	return Measure(run)
}

func read(path string) (*Measured, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	var m Measured
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("compare: reading %s: %w", path, err)
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("%w: %s says %d, this version reads %d", ErrSchema, path, m.Schema, Schema)
	}
	return &m, nil
}

// Save writes a measurement, in one step, so that it can stand in for its run.
func (m *Measured) Save(path string) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("compare: encoding a measurement: %w", err)
	}
	part := path + ".part"
	if err := os.WriteFile(part, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("compare: %w", errors.Join(err, os.Remove(part)))
	}
	return nil
}
