//go:build unix

package proxy

import (
	"net"
	"syscall"
)

// drained reports whether a socket certainly holds nothing that has not been read.
func drained(sock *net.TCPConn) (empty bool) {
	control(sock, func(fd int) {
		_, _, err := syscall.Recvfrom(fd, make([]byte, 1), syscall.MSG_PEEK)
		empty = err == syscall.EAGAIN
	})
	return empty
}

// refused reports whether the peer has reset a socket that was written to.
func refused(sock *net.TCPConn) (reset bool) {
	control(sock, func(fd int) {
		pending, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ERROR)
		reset = err == nil && pending != 0
	})
	return reset
}

// control calls look with the descriptor of a socket that is not closed.
func control(sock *net.TCPConn, look func(fd int)) {
	if raw, err := sock.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { look(int(fd)) })
	}
}
