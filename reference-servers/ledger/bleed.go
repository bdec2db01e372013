package ledger

// caller is who made a call: the ambient variable in which FM-33 is planted.
type caller struct {
	book  *book
	nonce string
}

// enter notes the call that was made last.
func (s *server) enter(b *book, c call) {
	if s.Config.HasBug(bleeding) {
		s.last.Store(&caller{book: b, nonce: c.nonce})
	}
}

// commit commits a call in its own book. A server whose sessions bleed takes the
// call that was made last, by whomever, for the one that it is executing; alone,
// it is right. Its record tells the truth, as that of the other bugs does: the
// commit is recorded where it lands.
func (s *server) commit(b *book, c call) (result any, nonce string, err error) {
	if last := s.last.Load(); last != nil {
		b, c.nonce, c.steps = last.book, last.nonce, c.steps.In(last.book.rollout)
	}
	return b.commit(c)
}
