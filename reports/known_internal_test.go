package reports

import (
	"bytes"
	"testing"
)

// FuzzParseKnown proves that no list makes the reader panic, that an error comes without
// a list, and that what is accepted is whole.
func FuzzParseKnown(f *testing.F) {
	for _, seed := range []string{"", "[]", "- invariant: no-hang\n  reason: x\n", "- {invariant: no-leak, reason: &a x, until: *a}", "a: &a [*a]", "- !!binary x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		given := bytes.Clone(data)
		list, err := parseKnown(data)
		if err == nil == (list == nil) || !bytes.Equal(given, data) {
			t.Errorf("a list of %d with the error %v", len(list), err)
		}
		for _, k := range list {
			if k.Invariant == "" || k.Reason == "" {
				t.Errorf("%+v is not whole", k)
			}
		}
	})
}
