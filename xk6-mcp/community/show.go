package community

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/grafana/sobek"
)

// opaque are the fields whose contents are not MCP's: what is in them keeps its
// names.
var opaque = map[string]bool{"structuredContent": true, "inputSchema": true, "outputSchema": true, "_meta": true}

// show makes a script's value of an answer. MCP's own fields get the names of the
// original (next_cursor), and keep those of the wire (nextCursor) out of sight of
// loops and JSON. Fields that are missing or null get their defaults.
func show(rt *sobek.Runtime, answer any, defaults map[string]any) (sobek.Value, error) {
	text, err := json.Marshal(answer)
	var data any
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		return nil, err
	}
	if fields, ok := data.(map[string]any); ok {
		for name, value := range defaults {
			if fields[name] == nil {
				fields[name] = value
			}
		}
	}
	return shower{rt}.value(data, true), nil
}

type shower struct{ rt *sobek.Runtime }

func (s shower) value(data any, ours bool) sobek.Value {
	switch data := data.(type) {
	case map[string]any:
		return s.object(data, ours)
	case []any:
		items := make([]any, len(data))
		for i, item := range data {
			items[i] = s.value(item, ours)
		}
		return s.rt.NewArray(items...)
	}
	return s.rt.ToValue(data)
}

func (s shower) object(fields map[string]any, ours bool) *sobek.Object {
	object := s.rt.NewObject()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, shown := s.value(fields[name], ours && !opaque[name]), name
		if ours {
			shown = snake(name)
		}
		define(object, shown, value, sobek.FLAG_TRUE)
		if shown != name {
			define(object, name, value, sobek.FLAG_FALSE)
		}
	}
	return object
}

func define(object *sobek.Object, name string, value sobek.Value, enumerable sobek.Flag) {
	if err := object.DefineDataProperty(name, value, sobek.FLAG_TRUE, sobek.FLAG_TRUE, enumerable); err != nil {
		panic(err) // unreachable: the object is fresh
	}
}

// snake is nextCursor as next_cursor.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
