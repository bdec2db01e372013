package safe

import "reflect"

// All is a deep copy of a value in which every text has become Text of itself, the keys
// of maps included. Fields that are not exported and raw bytes are taken over as they
// are, and share their memory with the original.
func All[T any](v T) T { return copyWith(v, Text) }

// Redacted is a deep copy of a value for machines: credentials are taken out of every
// text, and nothing else is changed.
func Redacted[T any](v T) T { return copyWith(v, Redact) }

func copyWith[T any](v T, each func(string) string) T {
	var out T
	copyInto(reflect.ValueOf(&out).Elem(), reflect.ValueOf(&v).Elem(), each)
	return out
}

func copyInto(to, from reflect.Value, each func(string) string) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(each(from.String()))
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyInto(to.Elem(), from.Elem(), each)
		}
	case reflect.Interface:
		if !from.IsNil() {
			inner := reflect.New(from.Elem().Type()).Elem()
			copyInto(inner, from.Elem(), each)
			to.Set(inner)
		}
	case reflect.Struct:
		to.Set(from)
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				copyInto(to.Field(i), from.Field(i), each)
			}
		}
	case reflect.Slice:
		copySlice(to, from, each)
	case reflect.Map:
		copyMap(to, from, each)
	default:
		to.Set(from)
	}
}

func copySlice(to, from reflect.Value, each func(string) string) {
	if from.IsNil() || from.Type().Elem().Kind() == reflect.Uint8 {
		to.Set(from)
		return
	}
	to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		copyInto(to.Index(i), from.Index(i), each)
	}
}

func copyMap(to, from reflect.Value, each func(string) string) {
	if from.IsNil() {
		return
	}
	to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
	for entries := from.MapRange(); entries.Next(); {
		key, value := reflect.New(from.Type().Key()).Elem(), reflect.New(from.Type().Elem()).Elem()
		copyInto(key, entries.Key(), each)
		copyInto(value, entries.Value(), each)
		to.SetMapIndex(key, value)
	}
}
