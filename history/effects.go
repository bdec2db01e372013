package history

import (
	"encoding/json"
	"fmt"
	"io"
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
	log, _, err := createNumbered(dir, server, func(process int) string { return EffectsFile(server, process) })
	return log, err
}

// NewEffectLog writes the record to any writer, under a name for its errors.
func NewEffectLog(name string, out io.WriteCloser) *EffectLog {
	return &EffectLog{out: out, name: name}
}

// Effect writes one effect through. After a failure it writes nothing more and
// returns that failure again: a server must then refuse to answer.
func (l *EffectLog) Effect(e Effect) error { return l.put(e) }

func (l *EffectLog) put(record any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("history: encoding a line of %s: %w", l.name, err)
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
