//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing here: there are no process groups.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills the command alone.
func KillGroup(c *exec.Cmd) error { return c.Process.Kill() }

// KilledBy is zero: there are no signals.
func KilledBy(*os.ProcessState) int { return 0 }

// DescriptorLimit is not known.
func DescriptorLimit() uint64 { return 0 }
