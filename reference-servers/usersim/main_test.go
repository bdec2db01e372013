package usersim_test

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
	"mcpstorm/reference-servers/usersim"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // crowds of short calls otherwise spend a third of their time on collection
	goleak.VerifyTestMain(m)
}

// sim is a user simulator on loopback.
type sim struct{ *servertest.Server }

// start serves a user simulator until the test ends.
func start(t testing.TB, cfg refserver.Config) *sim {
	t.Helper()
	return &sim{servertest.Start(t, usersim.Kind(), cfg)}
}

// call calls respond with raw arguments.
func (s *sim) call(ctx context.Context, rollout, arguments string) (wire.ToolResult, error) {
	return s.Call(ctx, rollout, "respond", arguments)
}

// respond calls respond and gives the result, which may be an error of the tool.
func (s *sim) respond(t testing.TB, rollout, arguments string) wire.ToolResult {
	t.Helper()
	result, err := s.call(context.Background(), rollout, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// payload is what a turn carries.
type payload struct {
	Messages []struct{ Role, Content string }
	Nonce    string
}

// turn calls respond and reads the turn that it must give.
func (s *sim) turn(t testing.TB, rollout, arguments string) payload {
	t.Helper()
	return read(t, s.respond(t, rollout, arguments))
}

func read(t testing.TB, result wire.ToolResult) payload {
	t.Helper()
	var p payload
	if err := json.Unmarshal([]byte(result.Text()), &p); err != nil || result.IsError {
		t.Fatalf("not a turn: %+v (%v)", result, err)
	}
	return p
}
