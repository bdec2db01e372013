package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// A path is one way to make calls.
type path struct {
	name string
	open func(addr string, inFlight int) (*lane, error)
}

var paths = []path{{echoName, openEcho}, {directName, openDirect}, {stormName, openStorm}}

// The paths' names.
const (
	echoName   = "echo"
	directName = "direct"
	stormName  = "storm"
)

// lane is a path that has been opened.
type lane struct {
	// calls are what the workers do, one each, over and over.
	calls []func() error
	// close ends everything that was opened. Its error says that the lane did
	// not do what was measured.
	close func() error
}

// reading is what one round came to.
type reading struct {
	perSecond float64       // calls
	cpu       time.Duration // of this process, a call
}

// round opens a path, measures one window of it, and closes it again.
func round(ctx context.Context, s settings, p path, addr string) (reading, error) {
	runtime.GC() // what the path before left behind is not this one's to collect
	l, err := p.open(addr, s.inFlight)
	if err != nil {
		return reading{}, err
	}
	stopProfile, err := profile(s.profiles, p.name)
	if err != nil {
		return reading{}, errors.Join(err, l.close())
	}
	r, err := l.drive(ctx, s.window)
	stopProfile()
	return r, errors.Join(err, l.close())
}

// drive keeps every worker calling and measures one window. A call counts in the
// window in which it ends. A call that fails ends the round.
func (l *lane) drive(ctx context.Context, window time.Duration) (reading, error) {
	ctx, stop := context.WithCancelCause(ctx)
	var ended atomic.Int64
	var workers sync.WaitGroup
	for _, call := range l.calls {
		workers.Go(func() {
			for ctx.Err() == nil {
				if err := call(); err != nil {
					stop(err)
					return
				}
				ended.Add(1)
			}
		})
	}
	r, err := watch(ctx, window, &ended)
	stop(nil)
	workers.Wait()
	return r, err
}

// watch reads the counters at both ends of a window. Its error is the reason for
// which ctx ended.
func watch(ctx context.Context, window time.Duration, ended *atomic.Int64) (reading, error) {
	if err := system.Sleep(ctx, time.Duration(warmUp*float64(window))); err != nil {
		return reading{}, err
	}
	start, calls, cpu := system.Now(), ended.Load(), cpuTime()
	if err := system.Sleep(ctx, window); err != nil {
		return reading{}, err
	}
	passed := system.Since(start)
	calls, cpu = ended.Load()-calls, cpuTime()-cpu
	if calls == 0 {
		return reading{}, fmt.Errorf("no call ended within %v", passed)
	}
	return reading{perSecond: float64(calls) / passed.Seconds(), cpu: cpu / time.Duration(calls)}, nil
}

// profile takes a CPU profile into a directory, until stop is called.
func profile(dir, name string) (stop func(), err error) {
	if dir == "" {
		return func() {}, nil
	}
	file, err := os.Create(filepath.Join(dir, name+".pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}
