package history

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// checkManifest refuses a manifest that cannot be that of these files, which are those of
// the run directory by their plain names.
func (r *Run) checkManifest(names []string) error {
	m := &r.Manifest
	if m.Ended() && m.Records == nil {
		return fmt.Errorf("%w: %s says that the run ended, and has lost its records", ErrMissing, ManifestFile)
	}
	silent := m.silent()
	for _, name := range withPrefix(names, effectsPrefix) {
		for _, server := range silent {
			if isEffectsOf(name, server) {
				return fmt.Errorf("%w: %s says that %s records no effects, and %s is there", ErrChanged, ManifestFile, server, name)
			}
		}
	}
	return nil
}

// silent names the servers that record no effects.
func (m *Manifest) silent() (names []string) {
	for _, arm := range m.Arms {
		for _, server := range arm.Servers {
			if !server.Effects {
				names = append(names, server.Name)
			}
		}
	}
	return names
}

// isEffectsOf reports whether a file is the record of one process of a server.
func isEffectsOf(name, server string) bool {
	process, ok := strings.CutPrefix(strings.TrimSuffix(name, lineSuffix), effectsPrefix+server+".")
	return ok && !strings.Contains(process, ".")
}

// checkContents holds what was read against what the manifest says there was. Of several
// files that differ it names the first.
func (r *Run) checkContents(read map[string]content) error {
	for _, name := range slices.Sorted(maps.Keys(r.Manifest.Records)) {
		want := r.Manifest.Records[name]
		got, ok := read[name]
		if ok && got.lines != want {
			return fmt.Errorf("%w: %s holds %d, the manifest says %d", ErrMissing, name, got.lines, want)
		}
		if !ok && name != SamplesFile {
			return fmt.Errorf("%w: %s is gone, the manifest says that it held %d", ErrMissing, name, want)
		}
	}
	if r.Unsealed = r.Manifest.Digests == nil; r.Unsealed {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if err := r.Manifest.checkDigest(name, read[name].digest); err != nil {
			return err
		}
	}
	return r.Manifest.checkMetrics(r.Dir)
}

func (m *Manifest) checkDigest(name, got string) error {
	switch want, ok := m.Digests[name]; {
	case !ok:
		return fmt.Errorf("%w: %s is none of the files that the manifest has a digest of", ErrChanged, name)
	case got != want:
		return fmt.Errorf("%w: %s has the digest %s, the manifest says %s", ErrChanged, name, got, want)
	}
	return nil
}

// checkMetrics holds metrics.json, which has no lines, against its digest.
func (m *Manifest) checkMetrics(dir string) error {
	want, sealed := m.Digests[MetricsFile]
	data, err := readRegular(filepath.Join(dir, MetricsFile))
	switch {
	case errors.Is(err, os.ErrNotExist) && !sealed:
		return nil
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %s is gone, the manifest has its digest %s", ErrMissing, MetricsFile, want)
	case err != nil:
		return fmt.Errorf("history: %w", err)
	}
	sum := xxhash.New()
	_, _ = sum.Write(data)
	return m.checkDigest(MetricsFile, digestText(sum))
}
