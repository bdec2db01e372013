package proxy

import (
	"net"
	"syscall"
	"unsafe"
)

// siocOutQNSD asks for the bytes that the kernel has taken and not sent yet
// (linux/sockios.h).
const siocOutQNSD = 0x894B

// unsent is how many bytes of a socket the kernel still holds back, or zero when
// that cannot be told.
func unsent(sock *net.TCPConn) int {
	raw, err := sock.SyscallConn()
	if err != nil {
		return 0
	}
	var n int32
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, siocOutQNSD, uintptr(unsafe.Pointer(&n)))
	})
	return int(n)
}
