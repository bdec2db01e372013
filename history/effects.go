package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// EffectLog is a server process's own record of its executions. Each effect is
// on its way to the disk, by one write(2), before Effect returns: it survives a
// kill of the process. It is safe for concurrent use.
type EffectLog struct {
	mu   sync.Mutex
	out  io.WriteCloser
	name string
	err  error
}

// CreateEffects starts the record of one server process in a run directory,
// under the first process number that is free.
func CreateEffects(dir, server string) (*EffectLog, error) {
	for process := 1; ; process++ {
		name := EffectsFile(server, process)
		out, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("history: opening the record of %s: %w", server, err)
		}
		return &EffectLog{out: out, name: name}, nil
	}
}

// NewEffectLog writes the record to any writer, under a name for its errors.
func NewEffectLog(name string, out io.WriteCloser) *EffectLog {
	return &EffectLog{out: out, name: name}
}

// Effect writes one effect through. After a failure it writes nothing more and
// returns that failure again: a server must then refuse to answer.
func (l *EffectLog) Effect(e Effect) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("history: encoding an effect: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if _, err := l.out.Write(append(data, '\n')); err != nil {
		l.err = fmt.Errorf("history: writing %s: %w", l.name, err)
	}
	return l.err
}

// Err is the first failure, or nil.
func (l *EffectLog) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close closes the file and returns the first failure of the log's whole life.
func (l *EffectLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Close(); err != nil && l.err == nil {
		l.err = fmt.Errorf("history: closing %s: %w", l.name, err)
	}
	return l.err
}
