package history

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What a full disk has no other room for is written over the manifest of the run under
// way, with all that a run of two servers in two arms says in the end.
func TestTheLastWordFitsOverTheFirst(t *testing.T) {
	m := Manifest{ID: "x", State: StateRunning}
	for _, arm := range []string{"control", "main"} {
		m.Arms = append(m.Arms, Arm{Name: arm, Servers: []Server{{Name: "sim"}, {Name: "tools"}}})
	}
	path := filepath.Join(t.TempDir(), ManifestFile)
	if err := writeManifest(path, m); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	m.State, m.Records, m.Digests = StateFinished, map[string]int64{}, map[string]string{}
	m.Errors = []string{strings.Repeat("no space left on device ", 20)}
	m.Stalls, m.Samples = &Stalls{Waited: 1 << 60}, &Samples{Form: SamplesFolded}
	for i := range m.Arms {
		m.Arms[i].Lateness, m.Arms[i].Stalls = &Lateness{P50: 1 << 50, P99: 1 << 50, Max: 1 << 50, Samples: 1 << 50}, &Stalls{Waited: 1 << 60}
	}
	for i := range 20 {
		name := EffectsFile("tools", i)
		m.Records[name], m.Digests[name] = 1<<40, fmt.Sprintf("xxh64:%016x", i)
	}
	data, err := encodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := overwrite(path, data); err != nil {
		t.Fatal(err)
	}
	var read Manifest
	data, err = os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &read) != nil || read.State != StateFinished || int64(len(data)) != before.Size() {
		t.Errorf("%v, state %q in %d bytes, before %d", err, read.State, len(data), before.Size())
	}
	m.Errors[0] = strings.Repeat("x", int(before.Size()))
	if data, err = encodeManifest(m); err != nil || overwrite(path, data) == nil {
		t.Errorf("%v; a manifest of %d bytes was written over one of %d", err, len(data), before.Size())
	}
}

func TestIsFull(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no room left":  {fmt.Errorf("write: %w", syscall.ENOSPC), true},
		"quota reached": {fmt.Errorf("write: %w", syscall.EDQUOT), true},
		"another error": {syscall.EIO, false},
		"none":          {nil, false},
	} {
		if got := IsFull(c.err); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
