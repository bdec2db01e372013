package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"mcpstorm/xk6-mcp/run"
)

// signals ends the context at the first interrupt, and the process at the
// second.
func signals() (ctx context.Context, release func()) {
	ctx, _, release = signalsTo(os.Stderr)
	return ctx, release
}

// signalsTo is signals where something is drawn on the screen, through which what
// is said must then go. Once recorded was called there is nothing left to be stopped but
// the process.
func signalsTo(screen io.Writer) (ctx context.Context, recorded, release func()) {
	var over atomic.Bool
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan os.Signal, 2)
	signal.Notify(came, stopping()...)
	go func() {
		if _, ok := <-came; !ok {
			return
		}
		if over.Load() {
			fmt.Fprintln(screen, "mcpstorm: the run has ended and its history is kept; judging it goes on (again to stop at once)")
		} else {
			fmt.Fprintln(screen, "mcpstorm: stopping; the history so far is kept (again to stop at once)")
		}
		cancel()
		if _, ok := <-came; ok {
			os.Exit(run.ExitStopped)
		}
	}()
	return ctx, func() { over.Store(true) }, func() {
		signal.Stop(came)
		close(came)
		cancel()
	}
}

// stopping are the signals that end a run: the end of its terminal too, unless it was
// started to outlive it.
func stopping() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}
