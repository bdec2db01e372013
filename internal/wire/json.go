package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	fast "github.com/segmentio/encoding/json"
)

// maxDepth is how deep a value may nest: the limit of encoding/json.
const maxDepth = 10_000

var errJSON = errors.New("wire: not JSON, or nested too deep")

// Unmarshal reads one JSON value as encoding/json does, in about a third of the
// time, by the decoder that the official MCP SDK for Go uses. It differs in
// three points:
//
//   - The name of a member must match exactly, letter case included, as JSON-RPC
//     2.0 section 2 wants of its own.
//   - An integer of more than 64 bits can be taken for another one: decode a
//     number of the peer's choice into a json.RawMessage or a json.Number.
//   - What v holds after an error is not defined.
func Unmarshal(data []byte, v any) error { return unmarshal(data, v, 0) }

// unmarshal reads one JSON value. The decoder calls itself for each level of
// nesting without a limit, and a stack that overflows ends the process. Only a
// text with many opening brackets can nest deep; encoding/json, which has a
// limit, looks at those first.
func unmarshal(data []byte, v any, flags fast.ParseFlags) error {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > maxDepth && !json.Valid(data) {
		return errJSON
	}
	rest, err := fast.Parse(data, v, flags|fast.DontMatchCaseInsensitiveStructFields)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("wire: %d bytes after the JSON value", len(rest))
	}
	return err
}
