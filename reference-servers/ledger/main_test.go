package ledger_test

import (
	"context"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
	"mcpstorm/reference-servers/ledger"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // crowds of short calls otherwise spend a third of their time on collection
	goleak.VerifyTestMain(m)
}

// book is a ledger on loopback.
type book struct{ *servertest.Server }

// start serves a ledger until the test ends.
func start(t testing.TB, cfg refserver.Config) book {
	t.Helper()
	return book{servertest.Start(t, ledger.Kind(), cfg)}
}

// rollout is whose book most tests are about.
const rollout = "t000001.1"

// The payloads of the tools.
type (
	changed struct {
		Op, Nonce  string
		Entry      int
		Key, Value string
	}
	contents struct {
		Op, Nonce string
		Entries   []struct {
			Op, Text string
			Entry    int
		}
		Values map[string]string
	}
	lookup struct {
		Op, Nonce string
		Found     bool
		Results   []changed
	}
	settled struct {
		Op, State, Nonce string
		Results          []changed
	}
)

// change calls append or put, which must succeed.
func (b book) change(t testing.TB, tool, arguments string) changed {
	t.Helper()
	return servertest.Read[changed](t, b.Server, rollout, tool, arguments)
}

// texts are the entries of a rollout's book.
func (b book) texts(t testing.TB, rollout string) []string {
	t.Helper()
	var out []string
	for _, e := range servertest.Read[contents](t, b.Server, rollout, "get", `{"op":"texts"}`).Entries {
		out = append(out, e.Text)
	}
	return out
}

// settle settles an operation.
func (b book) settle(t testing.TB, op string) settled {
	t.Helper()
	return servertest.Read[settled](t, b.Server, rollout, "settle", `{"op":"`+op+`"}`)
}

// fails calls a tool that must fail, and gives the text of its error.
func (b book) fails(t testing.TB, tool, arguments string) string {
	t.Helper()
	result, err := b.Call(context.Background(), rollout, tool, arguments)
	if err != nil || !result.IsError {
		t.Fatalf("%s %s did not fail: %+v (%v)", tool, arguments, result, err)
	}
	return result.Text()
}

// answer is what a call came to.
type answer struct {
	wire.ToolResult
	err error
}

// send calls a tool and tells later what it came to.
func (b book) send(rollout, tool, arguments string) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		result, err := b.Call(context.Background(), rollout, tool, arguments)
		done <- answer{result, err}
	}()
	return done
}
