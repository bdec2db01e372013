//go:build unix

package doctor

import "syscall"

// descriptorLimit is the soft limit, which Go raises to the hard one at the start.
func descriptorLimit() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // some systems count in signed numbers
}
