package history

import (
	"bytes"
	"reflect"
)

// scanner reads lines as this package writes them: fields in their order, without
// spaces, strings of plain ASCII without escapes, whole numbers. A line that is
// written otherwise is none of its business, and it says so: the standard decoder then
// has it, so that whatever the scanner takes it takes as that one would.
type scanner struct {
	pool pool
	data []byte
	at   int
}

// scan reads one line into a struct of this shape, or reports false. The struct may
// then be half filled.
func (s *scanner) scan(data []byte, of *shape, into reflect.Value) bool {
	s.data, s.at = data, 0
	return s.object(of, into) && s.at == len(s.data)
}

func (s *scanner) object(of *shape, into reflect.Value) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	next := 0
	for {
		field := s.field(of, &next)
		if field == nil || !s.value(field, into.Field(field.index)) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// field reads a key and gives its field: one of those that have not come yet.
func (s *scanner) field(of *shape, next *int) *shapeField {
	rest := s.data[s.at:]
	for i := *next; i < len(of.fields); i++ {
		if f := &of.fields[i]; len(rest) > len(f.key) && string(rest[:len(f.key)]) == f.key {
			s.at += len(f.key)
			*next = i + 1
			return f
		}
	}
	return nil
}

func (s *scanner) value(f *shapeField, into reflect.Value) bool {
	switch f.kind {
	case reflect.String:
		text, ok := s.text()
		if ok {
			into.SetString(s.pool.text(text))
		}
		return ok
	case reflect.Int, reflect.Int64:
		n, ok := s.number()
		if ok {
			into.SetInt(n)
		}
		return ok
	case reflect.Bool:
		if s.word("true") {
			into.SetBool(true)
			return true
		}
		return s.word("false")
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return s.object(f.inner, into.Elem())
	case reflect.Slice:
		return s.list(f.inner, into)
	}
	return false
}

// list reads a list of objects that is not empty: an empty one is never written.
func (s *scanner) list(of *shape, into reflect.Value) bool {
	if !s.take('[') {
		return false
	}
	zero := reflect.Zero(into.Type().Elem())
	for n := 0; ; n++ {
		into.Set(reflect.Append(into, zero))
		if !s.object(of, into.Index(n)) {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) word(w string) bool {
	if bytes.HasPrefix(s.data[s.at:], []byte(w)) {
		s.at += len(w)
		return true
	}
	return false
}

// text reads a string that stands for itself.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for i := s.at; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			text := s.data[s.at:i]
			s.at = i + 1
			return text, true
		case c < ' ' || c == '\\' || c > '~':
			return nil, false
		}
	}
	return nil, false
}

// number reads a whole number of at most 18 digits, which every int64 holds.
func (s *scanner) number() (n int64, ok bool) {
	negative := s.take('-')
	start := s.at
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		n = 10*n + int64(s.data[s.at]-'0')
		s.at++
	}
	digits := s.at - start
	if digits == 0 || digits > 18 || digits > 1 && s.data[start] == '0' {
		return 0, false
	}
	if s.at < len(s.data) && s.data[s.at] != ',' && s.data[s.at] != '}' {
		return 0, false // a fraction, or an exponent
	}
	if negative {
		n = -n
	}
	return n, true
}
