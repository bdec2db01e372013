package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpstorm/internal/near"
)

func duration(path, text string, into *time.Duration) (err error) {
	if text == "" {
		return nil
	}
	if *into, err = time.ParseDuration(text); err != nil || *into < 0 {
		return fmt.Errorf("%w: %s is %q, want a duration such as 200ms", ErrStorm, path, text)
	}
	return nil
}

// object reads a JSON object whose keys must all be known; known == nil takes
// any. A key of later is one that is to come, and is refused by name too.
func object(path string, raw json.RawMessage, known, later []string) (map[string]json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, fmt.Errorf("%w: the script exports no %s", ErrStorm, path)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%w: %s is %s, want an object", ErrStorm, path, raw)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case slices.Contains(later, key):
			return nil, fmt.Errorf("%w: %s.%s is not supported yet", ErrStorm, path, key)
		case known != nil && !slices.Contains(known, key):
			return nil, fmt.Errorf("%w: unknown key %q in %s; known: %s%s", ErrStorm, key, path, strings.Join(known, ", "), near.Suggestion(key, known))
		}
	}
	return fields, nil
}

func optional[T any](fields map[string]json.RawMessage, path, key string, into *T) error {
	raw, ok := fields[key]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %s is %s, want %s", ErrStorm, path, raw, kindOf(*into))
	}
	return nil
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool, *bool:
		return "true or false"
	case int:
		return "a whole number"
	case []string:
		return "a list of strings"
	}
	return "an object of strings"
}
