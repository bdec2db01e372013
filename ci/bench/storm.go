package main

import (
	"context"
	"errors"
	"fmt"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// openStorm opens what a storm has between a script's call and the server: our
// client, the fault layer with its taps, and a history of every operation, every
// exchange and what the witness saw of it.
func openStorm(addr string, inFlight int) (*lane, error) {
	g, err := openRig(addr)
	if err != nil {
		return nil, err
	}
	clients, err := connectAll(g.proxy.Addr(), inFlight, g, g.base)
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	l := &lane{close: func() error {
		abandon(clients)
		return g.close()
	}}
	for i, c := range clients {
		w := &worker{rig: g, client: c, task: wire.TaskID(0, int64(i)), step: 1}
		l.calls = append(l.calls, w.call)
	}
	return l, nil
}

// worker makes the calls of one rollout and records them as the script's module
// does. It belongs to one goroutine.
type worker struct {
	*rig
	client *client.Client
	task   string
	step   int
}

func (w *worker) call() error {
	w.step++
	step := wire.StepID(w.step)
	start := w.base.Nanos()
	r := w.client.CallTool(context.Background(), step, history.Unsafe, toolCall)
	w.Op(history.Op{
		Arm: armName, Op: w.task + "/" + step, Rollout: w.task + ".1", Server: serverName,
		Kind: history.KindTool, Tool: toolName, Key: keys.Key(toolName, toolCall.Arguments), Class: history.Unsafe,
		Policy: persistent, Told: r.Told, Attempts: r.Attempts,
		Start: history.Instant(start), End: history.Instant(w.base.Nanos()),
	})
	if err := answered(r); err != nil {
		return fmt.Errorf("%s/%s: %w", w.task, step, err)
	}
	return nil
}
