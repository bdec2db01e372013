package history

import (
	"bytes"
	"reflect"
	"unsafe"
)

// scanner reads lines as this package writes them: fields in their order, without
// spaces, strings of plain ASCII without escapes, whole numbers. A line that is
// written otherwise is none of its business, and it says so: the standard decoder then
// has it, so that whatever the scanner takes it takes as that one would.
//
// It writes fields through pointers, at the offsets and in the kinds that reflect gave
// their shape: reflect.Value would check each anew on every line.
type scanner struct {
	pool pool
	data []byte
	at   int
}

// scan reads one line into a struct of this shape, or reports false. The struct may
// then be half filled.
func (s *scanner) scan(data []byte, of *shape, into unsafe.Pointer) bool {
	s.data, s.at = data, 0
	return s.object(of, into) && s.at == len(s.data)
}

func (s *scanner) object(of *shape, into unsafe.Pointer) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	next := 0
	for {
		field := s.field(of, &next)
		if field == nil || !s.value(field, unsafe.Add(into, field.offset)) {
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

// value reads the value of a field that lies at into.
func (s *scanner) value(f *shapeField, into unsafe.Pointer) bool {
	switch f.kind {
	case reflect.String:
		text, ok := s.text()
		if ok {
			f.last = s.pool.text(text, f.last)
			*(*string)(into) = f.last
		}
		return ok
	case reflect.Int:
		n, ok := s.number()
		*(*int)(into) = int(n)
		return ok && int64(int(n)) == n // an int may have 32 bits
	case reflect.Int64:
		n, ok := s.number()
		*(*int64)(into) = n
		return ok
	case reflect.Bool:
		*(*bool)(into) = s.word("true")
		return *(*bool)(into) || s.word("false")
	case reflect.Pointer:
		inner := reflect.New(f.typ.Elem()).UnsafePointer()
		*(*unsafe.Pointer)(into) = inner
		return s.object(f.inner, inner)
	case reflect.Slice:
		return s.list(f.inner, reflect.NewAt(f.typ, into).Elem())
	}
	return false
}

// mostRoom bounds how many elements a list is given room for before they are read.
const mostRoom = 64

// list reads a list of objects that is not empty: an empty one is never written. As a
// rule it has as many elements as braces are opened before its end.
func (s *scanner) list(of *shape, into reflect.Value) bool {
	if !s.take('[') {
		return false
	}
	inside, _, _ := bytes.Cut(s.data[s.at:], []byte("]"))
	into.Grow(min(bytes.Count(inside, []byte("{")), mostRoom))
	for n := 0; ; n++ {
		if n == into.Cap() {
			into.Grow(1)
		}
		into.SetLen(n + 1) // what lies beyond the end is zero
		if !s.object(of, into.Index(n).Addr().UnsafePointer()) {
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
	if rest := s.data[s.at:]; len(rest) >= len(w) && string(rest[:len(w)]) == w {
		s.at += len(w)
		return true
	}
	return false
}

// plain has the bytes that stand for themselves in a string.
var plain = func() (set [256]bool) {
	for c := ' '; c <= '~'; c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

// text reads a string that stands for itself.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	rest := s.data[s.at:]
	n := 0
	for n < len(rest) && plain[rest[n]] {
		n++
	}
	if n == len(rest) || rest[n] != '"' {
		return nil, false
	}
	s.at += n + 1
	return rest[:n], true
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
