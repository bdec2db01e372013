package toxics

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"mcpstorm/internal/wire"
)

// maxGlimpse is how much is looked at of the body of a request that is too large
// to be held or kept, in bytes.
const maxGlimpse = 4 << 10

// beginning is what the beginning of a JSON-RPC request tells, whose rest is not
// at hand. What it does not tell is empty.
type beginning struct {
	id        json.RawMessage
	method    string
	tool      string                     // the name among the params, whatever the method
	arguments map[string]json.RawMessage // those that are there whole
}

// readBeginning reads up to where the text breaks off or is no JSON-RPC request.
// Members may come in any order; those behind the break are not known of.
func readBeginning(text []byte) beginning {
	b := beginning{arguments: make(map[string]json.RawMessage)}
	d := json.NewDecoder(brokenOff{bytes.NewReader(text)})
	_ = eachMember(d, func(name string) error { // what was read before an error counts
		switch name {
		case "id":
			return d.Decode(&b.id)
		case "method":
			return d.Decode(&b.method)
		case "params":
			return b.readParams(d)
		}
		return skip(d)
	})
	return b
}

// readParams reads the params of a tools/call request.
func (b *beginning) readParams(d *json.Decoder) error {
	return eachMember(d, func(name string) error {
		switch name {
		case "name":
			return d.Decode(&b.tool)
		case "arguments":
			return eachMember(d, func(name string) error {
				var value json.RawMessage
				err := d.Decode(&value)
				if err == nil {
					b.arguments[name] = value
				}
				return err
			})
		}
		return skip(d)
	})
}

// key is the name of the call by a rule, where nothing that may follow can give
// it another: a number goes before a name, and a digest takes all arguments.
func (b *beginning) key(rule wire.KeyRule) string {
	arguments, err := json.Marshal(b.arguments)
	if err != nil {
		return ""
	}
	key := rule.Key(b.tool, arguments)
	named := rule.SeqArgument == "" && !strings.HasPrefix(key, "args:")
	if named || strings.HasPrefix(key, "seq:") {
		return key
	}
	return ""
}

// errNoObject ends the reading of what is no request.
var errNoObject = errors.New("toxics: no JSON object")

// eachMember calls each at the value of every member of the object that comes
// next, which it must read. It ends with the first error.
func eachMember(d *json.Decoder, each func(name string) error) error {
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return errNoObject
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := each(name.(string)); err != nil { // the decoder takes no other name
			return err
		}
	}
	_, err = d.Token() // the closing brace
	return err
}

func skip(d *json.Decoder) error {
	var value json.RawMessage
	return d.Decode(&value)
}

// brokenOff reads a text that does not end where its bytes do: a number that
// stands last may go on.
type brokenOff struct{ *bytes.Reader }

func (r brokenOff) Read(p []byte) (n int, err error) {
	if n, err = r.Reader.Read(p); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
