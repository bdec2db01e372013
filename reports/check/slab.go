package check

// slab makes values one after another in blocks, so that millions of them are few
// things for the collector. Values are made by one goroutine and never given back.
type slab[T any] struct{ free []T }

const slabBlock = 1024 // large enough that its size is not rounded up

func (s *slab[T]) make() *T {
	if len(s.free) == 0 {
		s.free = make([]T, slabBlock)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// lists gives short lists their first room out of one block. A list that outgrows it
// is moved by append as any other.
type lists[T any] struct{ free []T }

// add appends to a list that has room for n from the beginning.
func (l *lists[T]) add(list []T, v T, n int) []T {
	if list == nil {
		if len(l.free) < n {
			l.free = make([]T, slabBlock*n)
		}
		list = l.free[:0:n]
		l.free = l.free[n:]
	}
	return append(list, v)
}
