package wiki_test

import (
	"context"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
	"mcpstorm/reference-servers/wiki"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // crowds of short calls otherwise spend a third of their time on collection
	goleak.VerifyTestMain(m)
}

// rollout is who asks in most tests.
const rollout = "t000001.1"

// start serves a wiki until the test ends.
func start(t testing.TB, cfg refserver.Config) *servertest.Server {
	t.Helper()
	return servertest.Start(t, wiki.Kind(), cfg)
}

// The payloads of the tools.
type (
	pageRef struct {
		ID    string `json:"page_id"`
		Title string
	}
	sectionRef struct {
		ID   string `json:"section_id"`
		Name string `json:"section_name"`
	}
	result struct {
		Pages    []pageRef
		Sections []sectionRef
		Text     string
		Nonce    string
	}
)

func ask(t testing.TB, s *servertest.Server, tool, arguments string) result {
	t.Helper()
	return servertest.Read[result](t, s, rollout, tool, arguments)
}

// answer is what a call came to.
type answer struct {
	wire.ToolResult
	err error
}

// send calls a tool and tells later what it came to.
func send(s *servertest.Server, rollout, tool, arguments string) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		r, err := s.Call(context.Background(), rollout, tool, arguments)
		done <- answer{r, err}
	}()
	return done
}
