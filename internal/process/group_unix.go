//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup starts a command as the head of a process group of its own: an interrupt at
// the terminal does not reach it.
func OwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup kills a command that was started by OwnGroup, and what it has started.
func KillGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

// KilledBy is the number of the signal that ended a process; zero where none did.
func KilledBy(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}

// DescriptorLimit is the soft limit of open descriptors; zero where it is not known.
func DescriptorLimit() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Cur
}
