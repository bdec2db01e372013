package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
)

// everySource is every kind of file with lines, to be read into the run. Samples are
// thrown away.
func everySource(run *Run) (all []source) {
	for _, g := range run.groups([]string{WireFile("sim"), EffectsFile("sim", 1), resourcesOf("sim", 1)}) {
		all = append(all, g...)
	}
	return append(all, samples(func(Sample) error { return nil }))
}

// FuzzRead reads any bytes as a file of a history, plain or packed, chosen by which:
// they are records, or there is an error that names the file and the line. A torn line is
// told from a corrupt one by its missing end.
func FuzzRead(f *testing.F) {
	kinds := len(everySource(&Run{}))
	for _, record := range everyRecord() {
		line, err := json.Marshal(record)
		if err != nil {
			f.Fatal(err)
		}
		for which := range kinds {
			f.Add(byte(which), false, append(line, '\n'))
		}
		f.Add(byte(0), false, line[:len(line)/2])
		f.Add(byte(0), true, line)
	}
	f.Add(byte(3), false, []byte("null\n\n{\"n\":1}\n"))
	f.Fuzz(func(t *testing.T, which byte, packed bool, data []byte) {
		all := everySource(&Run{})
		file := all[int(which)%len(all)]
		var in io.Reader = bytes.NewReader(data)
		if packed {
			unpacked, err := unpack(in)
			if err != nil {
				return
			}
			defer unpacked.Close()
			in = unpacked
		}
		n, err := file.readFrom(in)
		if packed {
			wantLineError(t, err, file.name, n)
			return
		}
		torn := len(data) > 0 && data[len(data)-1] != '\n'
		switch whole := int64(bytes.Count(data, []byte("\n"))); {
		case err == nil && (n != whole || torn):
			t.Errorf("%d of %d lines of %s were taken, torn %v", n, whole, file.name, torn)
		case errors.Is(err, ErrTorn) && (n != whole || !torn):
			t.Errorf("%v after %d of %d lines, torn %v", err, n, whole, torn)
		}
		wantLineError(t, err, file.name, n)
	})
}

// wantLineError wants an error, if there is one, to name the line after so many.
func wantLineError(t *testing.T, err error, file string, after int64) {
	t.Helper()
	if err == nil {
		return
	}
	var at *LineError
	if !errors.As(err, &at) || at.File != file || at.Line != int(after)+1 || errors.Is(err, ErrTorn) == errors.Is(err, ErrCorrupt) {
		t.Errorf("%v after %d lines of %s", err, after, file)
	}
}

// FuzzManifest reads any bytes as a manifest: it is one of this version, or there is an
// error that says why not.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{`{"schema":1,"arms":[{"name":"main"}],"records":{"ops.ndjson":-1}}`, `{"schema":2}`, `{"schema":"1"}`, `[]`, `null`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		run := &Run{}
		err := run.parseManifest(data)
		if err == nil && run.Manifest.Schema != Schema || err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrSchema) {
			t.Errorf("schema %d, %v", run.Manifest.Schema, err)
		}
	})
}

// What is no record is no record in any file, and is told with its place.
func TestForeignLines(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		kind error
		line int
	}{
		"null":             {"null\n", ErrCorrupt, 1},
		"a list":           {"{}\n[]\n", ErrCorrupt, 2},
		"a text":           {"\"main\"\n", ErrCorrupt, 1},
		"an empty line":    {"{}\n\n", ErrCorrupt, 2},
		"no JSON":          {"level=info msg=started\n", ErrCorrupt, 1},
		"another type":     {"{\"arm\":7}\n", ErrCorrupt, 1},
		"two on one line":  {"{}{}\n", ErrCorrupt, 1},
		"a torn line":      {"{}\n{\"arm\":\"ma", ErrTorn, 2},
		"one without end":  {"{}", ErrTorn, 1},
		"bytes of a block": {"{}\n\x00\x00\x00\x00", ErrTorn, 2},
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range everySource(&Run{}) {
				n, err := file.readFrom(bytes.NewReader([]byte(c.text)))
				if !errors.Is(err, c.kind) || n != int64(c.line)-1 {
					t.Errorf("%s: %v after %d lines, want %v at line %d", file.name, err, n, c.kind, c.line)
				}
				wantLineError(t, err, file.name, n)
			}
		})
	}
}
