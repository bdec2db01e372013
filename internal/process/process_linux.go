package process

import (
	"os"
	"path/filepath"
	"strings"
)

// addKernelCounts adds what only the kernel knows. What cannot be read is left out.
func addKernelCounts(counts map[string]int64) {
	const descriptors = "/proc/self/fd"
	if open, err := os.ReadDir(descriptors); err == nil {
		sockets := int64(0)
		for _, d := range open {
			// One that was closed meanwhile has no target any more.
			if target, err := os.Readlink(filepath.Join(descriptors, d.Name())); err == nil && strings.HasPrefix(target, "socket:") {
				sockets++
			}
		}
		counts[Sockets] = sockets
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		return
	}
	children := int64(0)
	for _, list := range lists {
		ids, _ := os.ReadFile(list) // of a thread that has ended there is none
		children += int64(len(strings.Fields(string(ids))))
	}
	counts[Children] = children
}
