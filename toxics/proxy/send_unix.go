//go:build unix

package proxy

import "syscall"

// send writes all of b, unless the leg is mute. Each write(2), which does not
// block, is counted under the pair's mutex: a server can answer before the
// goroutine that wrote runs on, and a receipt made then must not miss a byte. For
// the same reason nothing is written once a cut has been made.
func (l *leg) send(b []byte) error {
	raw, err := l.sock.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Write(func(fd uintptr) (done bool) {
		l.pair.mu.Lock()
		defer l.pair.mu.Unlock()
		for len(b) > 0 && !l.mute() {
			n, err := syscall.Write(int(fd), b)
			switch err {
			case nil:
				l.took(n)
				b = b[n:]
			case syscall.EINTR:
			case syscall.EAGAIN:
				return false
			default:
				failed = err
				return true
			}
		}
		return true
	})
	if failed != nil {
		return failed
	}
	return err
}
