package main

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// serverName is what the records call the one server.
const serverName = "stub"

// persistent is the policy whose calls are one exchange each, as an echo is.
const persistent = "verifiers-0.2.0"

// toolCall is what every worker calls.
var toolCall = wire.ToolCall{Name: toolName, Arguments: json.RawMessage(toolArguments)}

// drop is a recorder that records nothing.
type drop struct{}

// Attempt implements client.Recorder.
func (drop) Attempt(history.Attempt) {}

// openDirect opens one client a worker, each with its session, straight to the
// server.
func openDirect(addr string, inFlight int) (*lane, error) {
	clients, err := connectAll(addr, inFlight, drop{}, clock.NewBase(system))
	if err != nil {
		return nil, err
	}
	l := &lane{close: func() error {
		abandon(clients)
		return nil
	}}
	for _, c := range clients {
		step := 1
		l.calls = append(l.calls, func() error {
			step++
			return answered(c.CallTool(context.Background(), wire.StepID(step), history.Unsafe, toolCall))
		})
	}
	return l, nil
}

// connectAll makes a client for each worker and opens its session. The caller
// abandons them.
func connectAll(addr string, n int, r client.Recorder, base *clock.Base) ([]*client.Client, error) {
	clients := make([]*client.Client, 0, n)
	for i := range n {
		c, err := newClient(addr, wire.TaskID(0, int64(i)), r, base)
		if err == nil {
			clients = append(clients, c)
			err = answered(c.Connect(context.Background(), wire.StepID(1)))
		}
		if err != nil {
			abandon(clients)
			return nil, fmt.Errorf("opening session %d: %w", i, err)
		}
	}
	return clients, nil
}

func newClient(addr, task string, r client.Recorder, base *clock.Base) (*client.Client, error) {
	p, err := client.Preset(persistent)
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{
		Server: serverName, URL: "http://" + addr + wire.RolloutPath(task+".1"), Task: task, Restart: 1,
		Policy: p, Recorder: r, Clock: system, Base: base, Random: seed.Root(1).Stream("backoff", task),
	})
}

func abandon(clients []*client.Client) {
	for _, c := range clients {
		c.Abandon()
	}
}

// answered is an error unless an operation came to its result.
func answered(r client.Result) error {
	if r.Told == history.ToldOK {
		return nil
	}
	return fmt.Errorf("an operation was told %s: %+v", r.Told, r.Cause)
}
