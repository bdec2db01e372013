package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"syscall"
)

// The room that the manifest of a run under way keeps for what it will say in the end: in
// bytes, for itself, and for each file of each server in an arm. What is over once the
// disk is full can then be written in its place.
const (
	reserved       = 6 << 10
	reservedServer = 512
)

// writeManifest writes a manifest in one step or, where the disk has no room for another
// file, over the one that is there. Where even that is too small the run is put down as
// failed, and the error says why.
func writeManifest(path string, m Manifest) error {
	data, err := encodeManifest(m)
	if err != nil {
		return err
	}
	if m.State == StateRunning {
		data = append(data, bytes.Repeat([]byte{'\n'}, m.reserve())...)
	}
	failed := writeWhole(path, data)
	if !IsFull(failed) {
		return failed
	}
	if overwrite(path, data) == nil {
		return nil
	}
	m.State, m.Records, m.Digests = StateFailed, nil, nil
	if len(m.Errors) == 0 {
		m.Errors = []string{failed.Error()}
	}
	m.Errors = m.Errors[:1] // there is room for one, and the others followed from the first
	if data, err = encodeManifest(m); err == nil {
		err = overwrite(path, data)
	}
	return errors.Join(failed, err)
}

func encodeManifest(m Manifest) ([]byte, error) {
	m.Schema = Schema
	data, err := json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}

func (m *Manifest) reserve() int {
	n := reserved
	for _, arm := range m.Arms {
		n += reservedServer * (1 + len(arm.Servers))
	}
	return n
}

// IsFull reports whether an error says that a disk, or what its user may take of it, has no
// room left.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// errTooLong says that a manifest is longer than the one that it was to be written over.
var errTooLong = errors.New("the earlier one has no room for it")

// overwrite writes over a file without making it longer or shorter: its blocks are there
// already. The end is filled with what JSON ignores.
func overwrite(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case int64(len(data)) > info.Size():
		err = errTooLong
	default:
		data = append(data, bytes.Repeat([]byte{'\n'}, int(info.Size())-len(data))...)
		_, err = file.WriteAt(data, 0)
	}
	return errors.Join(err, file.Close())
}
