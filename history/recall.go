package history

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RecallEffects hands every effect that the processes of a server have recorded in a
// run directory to a function, the oldest process first, and stops at its first
// error. A durable server that is started again calls it before CreateEffects.
func RecallEffects(dir, server string, take func(Effect) error) error {
	for process := 1; ; process++ {
		effects := source{EffectsFile(server, process), func(data []byte) error {
			var e Effect
			if err := decode(data, &e); err != nil {
				return err
			}
			return take(e)
		}}
		if _, err := effects.read(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Mend cuts a torn last line off the records of a server's processes, none of which
// may run: it is what a kill in the middle of a write(2) leaves, and its server has
// done nothing upon it, for the write had not returned.
func Mend(dir, server string) error {
	for process := 1; ; process++ {
		effects, resources := EffectsFile(server, process), resourcesOf(server, process)
		err := mend(filepath.Join(dir, effects))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if other := mend(filepath.Join(dir, resources)); !errors.Is(other, fs.ErrNotExist) {
			err = errors.Join(err, other)
		}
		if err != nil {
			return fmt.Errorf("history: mending the record of %s: %w", server, err)
		}
	}
}

// maxTorn is more than a line of a server process takes, in bytes.
const maxTorn = 2 << 20

// mend cuts a last line without an end off a file.
func mend(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	tail := make([]byte, min(info.Size(), maxTorn))
	before := info.Size() - int64(len(tail))
	if _, err := file.ReadAt(tail, before); err != nil {
		return err
	}
	whole := before + int64(bytes.LastIndexByte(tail, '\n')) + 1
	if whole == info.Size() {
		return nil
	}
	return file.Truncate(whole)
}
