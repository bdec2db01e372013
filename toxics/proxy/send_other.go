//go:build !unix

package proxy

// send writes all of b, unless the leg is mute.
func (l *leg) send(b []byte) error {
	l.pair.mu.Lock()
	mute := l.mute()
	l.pair.mu.Unlock()
	if mute {
		return nil
	}
	n, err := l.sock.Write(b)
	l.pair.mu.Lock()
	defer l.pair.mu.Unlock()
	l.took(n)
	return err
}
