package capacity

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Schema is the version of capacity.json.
const Schema = 1

// ResultFile is what a search writes after every level.
const ResultFile = "capacity.json"

// Result is capacity.json: a search, finished or not.
type Result struct {
	Schema int `json:"schema"`
	// Key is what was searched: a search goes on only where it is the same.
	Key      Key     `json:"key"`
	Finished bool    `json:"finished"`
	Curves   []Curve `json:"curves"`
	// Version and Revision are of the program that measured every level.
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
}

// program is what measured the levels.
func (r *Result) program() string { return strings.TrimSpace(r.Version + " " + r.Revision) }

// levels is how many levels were measured.
func (r *Result) levels() (n int) {
	for _, c := range r.Curves {
		n += len(c.Levels)
	}
	return n
}

// Key is everything that a search's result depends on but the machine.
type Key struct {
	Script     string   `json:"script"`
	SHA256     string   `json:"sha256"`
	Seed       uint64   `json:"seed"`
	Objectives []string `json:"objectives"`
	Policies   []string `json:"policies"` // one empty name: the script's own
	From       int      `json:"from"`
	To         int      `json:"to"`
	Within     float64  `json:"within"`
	Rollouts   int      `json:"rollouts"` // a level, at least
	// Overrides is a digest of what else the command line put over the script.
	Overrides string `json:"overrides"`
}

// Curve is what one policy carries.
type Curve struct {
	Policy string  `json:"policy"`
	Levels []Level `json:"levels"` // by concurrency
	// Capacity is the last level up to which every upper bound holds; zero for none,
	// and Beyond is true where no level broke.
	Capacity int  `json:"capacity"`
	Beyond   bool `json:"beyond,omitempty"`
	// Knee is the level after which more rollouts at once bring little; zero for none.
	Knee int `json:"knee,omitempty"`
	// Limit is what the first level beyond the capacity met.
	Limit    *Limit `json:"limit,omitempty"`
	Finished bool   `json:"finished"`
}

// id names a search.
func (k Key) id() string {
	data, err := json.Marshal(k)
	if err != nil { // of texts and numbers that are finite
		panic(err)
	}
	return digest(data)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:8]
}

// resume reads what a search has measured, or begins one. The error wraps ErrAnother
// where the folder holds another search.
func resume(dir string, key Key) (*Result, error) {
	path := filepath.Join(dir, ResultFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &Result{Schema: Schema, Key: key}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("capacity: %w", err)
	}
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("capacity: reading %s: %w", path, err)
	}
	if r.Schema != Schema || r.Key.id() != key.id() {
		return nil, fmt.Errorf("%w: %s is of %s with other settings; use another --dir", ErrAnother, path, r.Key.Script)
	}
	return &r, nil
}

// save writes the result in one step, so that a kill leaves the one before.
func (r *Result) save(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	path := filepath.Join(dir, ResultFile)
	if err := os.WriteFile(path+".part", append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	return nil
}
