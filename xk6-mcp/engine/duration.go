package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// parseDuration reads a duration as k6's options write it: a string such as
// "1h2m3s", or a bare number of milliseconds. It refuses negative ones.
func parseDuration(raw json.RawMessage) (time.Duration, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		d, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil {
			return 0, fmt.Errorf("want a duration such as \"1m30s\", got %s", raw)
		}
		return notNegative(d, raw)
	}
	var millis float64
	if err := json.Unmarshal(raw, &millis); err != nil {
		return 0, fmt.Errorf("want a duration such as \"1m30s\" or a number of milliseconds, got %s", raw)
	}
	return notNegative(time.Duration(millis*float64(time.Millisecond)), raw)
}

func notNegative(d time.Duration, raw json.RawMessage) (time.Duration, error) {
	if d < 0 {
		return 0, fmt.Errorf("want a duration of zero or more, got %s", raw)
	}
	return d, nil
}
