package refserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcpstorm/internal/wire"
)

// ErrArgument says that an argument of a call is not what the tool's schema
// asks. It goes over the wire, and so names no package.
var ErrArgument = errors.New("invalid argument")

// Arguments are the arguments of one call. They are read by hand: names match
// exactly, an absent argument is not a zero one, and unknown ones are ignored.
type Arguments map[string]json.RawMessage

// ParseArguments reads arguments as they were sent. What is no JSON object gives
// ErrArgument.
func ParseArguments(raw json.RawMessage) (Arguments, error) {
	var a Arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("%w: arguments: not an object", ErrArgument)
	}
	return a, nil
}

// Text is an argument that must be a text. Any other gives ErrArgument.
func (a Arguments) Text(name string) (string, error) {
	var text *string
	if json.Unmarshal(a[name], &text) != nil || text == nil {
		return "", fmt.Errorf("%w: %s: a string is required", ErrArgument, name)
	}
	return *text, nil
}

// Optional is an argument that may be absent, and must be a text otherwise. Any
// other gives ErrArgument.
func (a Arguments) Optional(name string) (text string, given bool, err error) {
	if _, given = a[name]; !given {
		return "", false, nil
	}
	text, err = a.Text(name)
	return text, true, err
}

// DigestArguments is a short digest of a call: the same for the same tool and
// arguments, in whatever order they were written.
func DigestArguments(tool string, raw json.RawMessage) string {
	_, digest, _ := strings.Cut(wire.KeyRule{}.Key(tool, raw), ":")
	return digest
}
