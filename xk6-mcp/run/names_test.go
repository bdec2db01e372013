package run

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// The name of an arm becomes part of those of files, and of no path.
func TestNamesOfArms(t *testing.T) {
	for name, ok := range map[string]bool{
		"main": true, "verifiers-0.2.0": true, "a_b": true,
		"../../x": false, "..": false, ".x": false, "a b": false, "a/b": false, "": false, "a@b": false,
	} {
		raw, err := json.Marshal(map[string]any{"servers": map[string]string{"s": "usersim"}, "arms": map[string]any{name: struct{}{}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseStorm(raw)
		if ok != (err == nil) || !ok && (!errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), "want letters, digits")) {
			t.Errorf("the arm %q: %v", name, err)
		}
	}
}

func TestAnEmptyAssertIsRefused(t *testing.T) {
	for text, ok := range map[string]bool{`{"servers":{"s":"usersim"},"assert":[]}`: false, `{"servers":{"s":"usersim"}}`: true} {
		s, err := ParseStorm(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := checkAssert(s.Assert); ok != (err == nil) || !ok && !strings.Contains(err.Error(), "assert is empty: leave it out") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
