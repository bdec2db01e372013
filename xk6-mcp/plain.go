package xk6mcp

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/grafana/sobek"
)

// plain makes plain JavaScript of JSON; null of what is none.
func (u *virtualUser) plain(data json.RawMessage) sobek.Value {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return sobek.Null()
	}
	return u.plainOf(v)
}

func (u *virtualUser) plainOf(v any) sobek.Value {
	rt := u.vu.Runtime()
	switch v := v.(type) {
	case nil:
		return sobek.Null()
	case []any:
		items := make([]sobek.Value, len(v))
		for i, item := range v {
			items[i] = u.plainOf(item)
		}
		return u.array(items)
	case map[string]any:
		object := rt.NewObject()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			setOwn(object, key, u.plainOf(v[key]))
		}
		return object
	}
	return rt.ToValue(v)
}

// setOwn sets a property of a plain object, also one that is called __proto__.
func setOwn(object *sobek.Object, key string, v sobek.Value) {
	_ = object.DefineDataProperty(key, v, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE) // a fresh object takes it
}

func (u *virtualUser) array(items []sobek.Value) sobek.Value {
	values := make([]any, len(items))
	for i, item := range items {
		values[i] = item
	}
	return u.vu.Runtime().NewArray(values...)
}
