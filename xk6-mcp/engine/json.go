package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// member is one key and value of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// members reads a JSON object and keeps the order of its keys, which is the
// order of declaration in the script.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("want an object, got %s", raw)
	}
	var out []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: fmt.Sprint(key)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// appendMember adds one key and value to a JSON object under construction.
func appendMember(object []byte, key string, value any) ([]byte, error) {
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	text, err := marshal(value)
	if err != nil {
		return nil, err
	}
	if len(object) > 1 {
		object = append(object, ',')
	}
	object = append(append(object, name...), ':')
	return append(object, text...), nil
}

// marshal is json.Marshal with <, > and & as they are: a condition such as
// "p(95)<200" is there to be read.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	err := out.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}
