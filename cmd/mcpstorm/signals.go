package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"mcpstorm/xk6-mcp/run"
)

// signals ends the context at the first interrupt, and the process at the
// second.
func signals() (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan os.Signal, 2)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-came; !ok {
			return
		}
		fmt.Fprintln(os.Stderr, "mcpstorm: stopping; the history so far is kept (again to stop at once)")
		cancel()
		if _, ok := <-came; ok {
			os.Exit(run.ExitStopped)
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		close(came)
		cancel()
	}
}
