package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
)

// Host is what the machine and the process's limits allow. A zero says that the
// system does not tell.
type Host struct {
	Cores int `json:"cores"`
	// Quota is how many cores the process's control group may use.
	Quota float64 `json:"quota,omitempty"`
	// Descriptors is the limit of open descriptors, and Open how many were open.
	Descriptors uint64 `json:"descriptors"`
	Open        int    `json:"open,omitempty"`
	// Ports is how many local ports outgoing connections can have.
	Ports int `json:"ports,omitempty"`
	// Backlog is the longest queue of connections that wait to be accepted.
	Backlog int `json:"backlog,omitempty"`
	// Memory is how much is available, in bytes.
	Memory uint64 `json:"memory,omitempty"`
	// Timers is how late timers fire on the host as it is.
	Timers history.Lateness `json:"timers"`
}

// Where Linux tells what it allows. Elsewhere none of these can be read, and what
// they would say stays unknown.
const (
	portsFile   = "/proc/sys/net/ipv4/ip_local_port_range"
	backlogFile = "/proc/sys/net/core/somaxconn"
	memoryFile  = "/proc/meminfo"
	quotaFile   = "/sys/fs/cgroup/cpu.max"
	openFolder  = "/proc/self/fd"
)

// timersFor is how long timers are watched.
const timersFor = time.Second

// Examine reads what the host allows, and watches its timers for a second. Its
// only error is that of ctx.
func Examine(ctx context.Context, c clock.Clock) (Host, error) {
	h := Host{Cores: runtime.NumCPU(), Descriptors: descriptorLimit()}
	if open, err := os.ReadDir(openFolder); err == nil {
		h.Open = len(open)
	}
	if ports := numbers(portsFile); len(ports) == 2 {
		h.Ports = ports[1] - ports[0] + 1
	}
	if backlog := numbers(backlogFile); len(backlog) == 1 {
		h.Backlog = backlog[0]
	}
	if quota := numbers(quotaFile); len(quota) == 2 && quota[1] > 0 {
		h.Quota = float64(quota[0]) / float64(quota[1])
	}
	h.Memory = availableMemory()
	var err error
	h.Timers, err = watchTimers(ctx, c)
	return h, err
}

// numbers are the whole numbers that a file consists of; nil if there is anything
// else in it, such as cpu.max's "max".
func numbers(path string) (list []int) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for _, field := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// availableMemory is the kernel's own estimate, in bytes.
func availableMemory() uint64 {
	text, err := os.ReadFile(memoryFile)
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		var kib uint64
		if n, _ := fmt.Sscanf(string(line), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// watchTimers asks for short pauses and measures how much longer they take.
func watchTimers(ctx context.Context, c clock.Clock) (history.Lateness, error) {
	const pause = 10 * time.Millisecond
	late := hdrhistogram.New(1, time.Minute.Microseconds(), 3)
	for begun := c.Now(); c.Since(begun) < timersFor; {
		asked := c.Now()
		if err := c.Sleep(ctx, pause); err != nil {
			return history.Lateness{}, err
		}
		_ = late.RecordValue(max(c.Since(asked)-pause, 0).Microseconds()) // more than a minute is not a timer's lateness
	}
	at := func(q float64) time.Duration { return time.Duration(late.ValueAtQuantile(q)) * time.Microsecond }
	return history.Lateness{P50: at(50), P99: at(99), Max: at(100), Samples: late.TotalCount()}, nil
}
