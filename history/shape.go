package history

import (
	"reflect"
	"strings"
)

// shape is how the lines of one record type look: its fields in the order in which
// they are written, which is that of their declaration. One scanner uses it at a time.
type shape struct{ fields []shapeField }

type shapeField struct {
	key    string  // as it stands in a line, quotes and colon included: "op":
	offset uintptr // of the field in its struct
	kind   reflect.Kind
	typ    reflect.Type
	inner  *shape // of the struct that is pointed to, or that a slice is made of
	last   string // the text that the field had in the line before
}

// shapeOf reads the shape off a struct type. Fields of kinds that lines rarely hold
// have reflect.Invalid, and are left to the standard decoder.
func shapeOf(t reflect.Type) *shape {
	s := &shape{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		field := shapeField{key: `"` + name + `":`, offset: f.Offset, typ: f.Type}
		switch kind := f.Type.Kind(); kind {
		case reflect.String, reflect.Int, reflect.Int64, reflect.Bool:
			field.kind = kind
		case reflect.Pointer, reflect.Slice:
			if f.Type.Elem().Kind() == reflect.Struct {
				field.kind, field.inner = kind, shapeOf(f.Type.Elem())
			}
		}
		s.fields = append(s.fields, field)
	}
	return s
}
