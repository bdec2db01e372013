package toxics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// TestWitnessOfALargeRequest looks at what the witness says of a request that it
// cannot read whole: no more than its beginning tells.
func TestWitnessOfALargeRequest(t *testing.T) {
	pad := strings.Repeat("x", toxics.MaxRequest)
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	const byOp, bySeq = "op", "seq"
	tests := []struct {
		name, content string
		op, seq       string // arguments that name an operation
		want          history.Wire
	}{
		{
			"named before the bulk", call(`{"name":"append","arguments":{"op":"x","text":"` + pad + `"}}`), byOp, "",
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append", Key: "arg:x"},
		},
		{
			"numbered before the bulk", call(`{"name":"respond","arguments":{"seq":12,"text":"` + pad + `"}}`), "", bySeq,
			history.Wire{RPC: "tools/call", Role: "call", Tool: "respond", Key: "seq:12"},
		},
		{
			"named, where a number may follow", call(`{"name":"append","arguments":{"op":"x","text":"` + pad + `"}}`), byOp, bySeq,
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append"},
		},
		{
			"a number that goes on", call(`{"name":"respond","arguments":{"seq":1` + strings.Repeat("0", toxics.MaxRequest) + `}}`), "", bySeq,
			history.Wire{RPC: "tools/call", Role: "call", Tool: "respond"},
		},
		{
			"named after the bulk", call(`{"name":"append","arguments":{"text":"` + pad + `","op":"x"}}`), byOp, "",
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append"},
		},
		{
			"with a digest for its name", call(`{"name":"append","arguments":{"a":1,"text":"` + pad + `"}}`), "", "",
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append"},
		},
		{
			"without arguments", call(`{"name":"append","_meta":"` + pad + `"}`), byOp, "",
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append"},
		},
		{
			"the tool after the bulk", call(`{"arguments":{"op":"x","text":"` + pad + `"},"name":"append"}`), byOp, "",
			history.Wire{RPC: "tools/call", Role: "call"},
		},
		{"params that are a list", call(`["` + pad + `"]`), byOp, "", history.Wire{RPC: "tools/call", Role: "call"}},
		{
			"arguments that are a text", call(`{"name":"append","arguments":"` + pad + `"}`), byOp, "",
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append"},
		},
		{
			"another method with a name", `{"method":"prompts/get","params":{"name":"append","x":"` + pad + `"}}`, byOp, "",
			history.Wire{RPC: "prompts/get", Role: history.RoleRead},
		},
		{
			"the method after small params", `{"params":{"name":"append","arguments":{"op":"x"}},"method":"tools/call","id":"` + pad + `"}`, byOp, "",
			history.Wire{RPC: "tools/call", Role: "call", Tool: "append", Key: "arg:x"},
		},
		{"the method after the bulk", `{"pad":"` + pad + `","method":"tools/call"}`, byOp, "", history.Wire{}},
		{"no JSON", pad + "x", byOp, "", history.Wire{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rule := wire.KeyRule{OpArgument: tt.op, SeqArgument: tt.seq}
			got := witnessed(t, rule, request(tt.content), response(resultText))
			want := tt.want
			want.Arm, want.Server, want.Conn, want.Exchange = "main", "sim", 1, 1
			want.Rollout, want.Hint, want.Method, want.Handed = "t000001.1", hint, "POST", true
			want.Status, want.Result = 200, history.ResultOK
			want.Up, want.Down = int64(len(request(tt.content))), int64(len(response(resultText)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestWitnessOfOddAnswers looks at the answers that carry no result: whether they
// are whole, and whether the status alone is the answer.
func TestWitnessOfOddAnswers(t *testing.T) {
	post := request(callText)
	bare := func(method string) string { return method + " /r/t000001.1/mcp HTTP/1.1\r\n\r\n" }
	status := func(line, content string) string {
		return strings.Replace(response(content), "200 OK", line, 1)
	}
	stream := func(events string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(events), events)
	}
	progress := "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"
	large := strings.Replace(resultText, "[]", `["`+strings.Repeat("x", toxics.MaxAnswer)+`"]`, 1)
	tests := []struct {
		name, up, down string
		want           history.ResultSeen
	}{
		{"a notification is taken", post, status("202 Accepted", ""), "accepted"},
		{"an error page", post, status("503 Service Unavailable", "<h1>busy</h1>"), "other"},
		{"an empty error", post, status("404 Not Found", ""), "other"},
		{"a JSON-RPC error with a status", post, status("400 Bad", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`), "rpc_error"},
		{"a success that says nothing", post, response(""), "other"},
		{"a success that is no message", post, response("[]"), "other"},
		{"a stream without the response", post, stream(progress), "other"},
		{"a stream that breaks off", post, strings.TrimSuffix(stream(progress), "\n"), "none"},
		{"a result over the bound", post, response(large), "other"},
		{"a streamed result over the bound", post, stream("data: " + large + "\n\n"), "other"},
		{"a session is ended", bare("DELETE"), status("204 No Content", "")[:len("HTTP/1.1 204 No Content\r\n")] + "\r\n", "accepted"},
		{"a session is not ended", bare("DELETE"), status("405 Method Not Allowed", ""), "other"},
		{"a stream of notifications", bare("GET"), stream(progress), "accepted"},
		{"a stream is refused", bare("GET"), status("405 Method Not Allowed", ""), "other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := witnessed(t, wire.KeyRule{}, tt.up, tt.down); got.Result != tt.want || !got.Handed {
				t.Errorf("witness: %+v, want result %q", got, tt.want)
			}
		})
	}
}

// witnessed is the one record of one exchange that passes unharmed.
func witnessed(t *testing.T, rule wire.KeyRule, up, down string) history.Wire {
	t.Helper()
	gotUp, gotDown, _, l := converseBy(rule, marker{}, []byte(up), []byte(down), nil)
	if string(gotUp) != up || string(gotDown) != down {
		t.Errorf("%d bytes up became %d, %d down became %d", len(up), len(gotUp), len(down), len(gotDown))
	}
	if len(l.wires) != 1 {
		t.Fatalf("%d records of one exchange: %+v", len(l.wires), l.wires)
	}
	return l.wires[0]
}

// TestWitnessOfALeaving looks at what is recorded of the exchanges that were open when
// the server was told that the client is gone, and whether that is worth watching.
func TestWitnessOfALeaving(t *testing.T) {
	one := strings.Replace(request(callText), "Content-Length", "MCP-Protocol-Version: 2026-07-28\r\nContent-Length", 1)
	after := history.Left{Gone: true, Bytes: 7, Last: 2e9, Message: 1e9, Watched: 3e9, Ended: true}
	known := &history.Left{Manner: plan.FIN, Gone: true, Bytes: 7, Last: 2e9, Message: 1e9, Watched: 3e9, Ended: true}
	unknown := &history.Left{Manner: plan.FIN}
	for _, tt := range []struct {
		name             string
		up, before, down string // what is asked, and what is answered before and after
		manner           string
		after            history.Left
		watch            bool
		want             []*history.Left
	}{
		{"unanswered", one, "", "", plan.FIN, after, true, []*history.Left{known}},
		{"answered in part", one, response(resultText)[:40], "", plan.FIN, after, true, []*history.Left{known}},
		{"answered later", one, "", response(resultText), plan.FIN, after, true, []*history.Left{known}},
		{"answered later, by what was in hand", one, "", response(resultText), plan.FIN, history.Left{Watched: 1e9}, true, []*history.Left{nil}},
		{"answered before", one, response(resultText), "", plan.FIN, after, false, []*history.Left{nil}},
		{"reset", one, "", "", plan.RST, history.Left{}, false, []*history.Left{{Manner: plan.RST}}},
		{"an era in which it is no cancel", request(callText), "", "", plan.FIN, after, false, []*history.Left{known}},
		{"two at once", one + one, "", "", plan.FIN, after, false, []*history.Left{unknown, unknown}},
		{"two, one of them answered", one + one, response(resultText), "", plan.FIN, after, true, []*history.Left{nil, known}},
		{"nothing was asked", "", "", "", plan.FIN, after, false, nil},
		{"no HTTP", "no HTTP at all\r\n\r\n", "", "", plan.FIN, after, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, l := &cord{after: tt.after}, &log{}
			hub := toxics.NewHub(toxics.HubOptions{Server: "sim", Tap: l})
			defer hub.Close()
			conn := hub.NewConn(1, c)
			var upIn, downIn chan<- *stream.StreamChunk
			var upOut, downOut <-chan *stream.StreamChunk
			hub.Start(conn, func() {
				upIn, upOut = chain([]string{"mcp_tap_up"}, hub.ID())
				downIn, downOut = chain([]string{"mcp_tap_down"}, hub.ID())
			})
			go feed(upIn, []byte(tt.up), nil)
			collect(upOut, c, &c.up)
			done := make(chan struct{})
			go func() { collect(downOut, c, &c.down); close(done) }()
			for _, text := range []string{tt.before, ""} { // the second is taken once the first has been read
				downIn <- &stream.StreamChunk{Data: []byte(text)}
			}
			if watch := conn.Leave(tt.manner); watch != tt.watch {
				t.Errorf("worth watching: %t, want %t", watch, tt.watch)
			}
			if conn.Leave(plan.FIN) {
				t.Error("a second leaving counts")
			}
			go feed(downIn, []byte(tt.down), nil)
			<-done
			conn.Finish()
			var got []*history.Left
			for _, w := range l.wires {
				got = append(got, w.Left)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
