package history

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The files of a run directory.
const (
	ManifestFile = "manifest.json"
	PlanFile     = "plan.ndjson"
	OpsFile      = "ops.ndjson"
	AttemptsFile = "attempts.ndjson"
	RolloutsFile = "rollouts.ndjson"
	FaultsFile   = "faults.ndjson"
	SamplesFile  = "samples.ndjson"
	VerdictFile  = "verdict.json"
	// LatestFile stands beside the run directories and holds the name of the newest.
	LatestFile = "latest"
)

const (
	wirePrefix    = "wire."
	effectsPrefix = "effects."
	lineSuffix    = ".ndjson"
	packedSuffix  = ".zst"
)

// WireFile is the name of the witness's file for one server.
func WireFile(server string) string { return wirePrefix + server + lineSuffix }

// EffectsFile is the name of the file of one server process.
func EffectsFile(server string, process int) string {
	return fmt.Sprintf("%s%s.%d%s", effectsPrefix, server, process, lineSuffix)
}

// WriteLatest notes in dir's parent that dir is the newest run.
func WriteLatest(dir string) error {
	parent, name := filepath.Split(filepath.Clean(dir))
	if err := writeWhole(filepath.Join(parent, LatestFile), []byte(name+"\n")); err != nil {
		return fmt.Errorf("history: noting the latest run: %w", err)
	}
	return nil
}

// Resolve turns what a user typed into a run directory: a directory that holds
// a manifest is itself, and a text file such as runs/latest names its neighbour.
// A parent of runs stands for its latest one.
func Resolve(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("history: %w", err)
	}
	if !info.IsDir() {
		return neighbour(path, info)
	}
	if _, err := os.Stat(filepath.Join(path, ManifestFile)); err == nil {
		return path, nil
	}
	if latest := filepath.Join(path, LatestFile); fileExists(latest) {
		return Resolve(latest)
	}
	return "", fmt.Errorf("%w: %s has no %s", ErrNoHistory, path, ManifestFile)
}

// maxName is the longest name that a file system gives, in bytes.
const maxName = 255

// neighbour is the run directory that a text file beside it names. Any other file is
// told from one by its first bytes, and its content is not shown.
func neighbour(path string, info os.FileInfo) (string, error) {
	none := fmt.Errorf("%w: %s is a file that names none", ErrNoHistory, path)
	if !info.Mode().IsRegular() {
		return "", none
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("history: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxName+3)) // and the end of its line
	if err != nil {
		return "", fmt.Errorf("history: %w", err)
	}
	name := strings.TrimSpace(string(text))
	if !isName(name) {
		return "", none
	}
	dir := filepath.Join(filepath.Dir(path), name)
	if !fileExists(filepath.Join(dir, ManifestFile)) {
		return "", fmt.Errorf("%w: %s names %s, which has no %s", ErrNoHistory, path, name, ManifestFile)
	}
	return dir, nil
}

// isName reports whether a text can be the name of a directory beside another.
func isName(text string) bool {
	return len(text) <= maxName && filepath.IsLocal(text) && filepath.Base(text) == text && text != "." &&
		utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// openRegular opens a file to read it. Anything else by that name is refused: to open a
// pipe waits for a writer, and a device may never end.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s", ErrIrregular, path)
	}
	return os.Open(path)
}

// readRegular is all that a regular file holds.
func readRegular(path string) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// writeWhole replaces a file in one step, so that a reader never sees half of it.
func writeWhole(path string, data []byte) error {
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}
