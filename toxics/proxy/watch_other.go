//go:build !unix

package proxy

import "net"

// drained cannot tell here, and so never says that a socket is empty.
func drained(*net.TCPConn) bool { return false }

// refused cannot tell here either.
func refused(*net.TCPConn) bool { return false }
