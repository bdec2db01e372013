//go:build !linux

package proxy

import "net"

// unsent cannot be told here. A reset may then lose bytes that were written just
// before it, which a receipt counts as passed.
func unsent(*net.TCPConn) int { return 0 }
