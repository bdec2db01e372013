package refserver

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/internal/wire"
)

// eventStoreBytes bounds the events that one rollout's endpoint keeps for streams
// that are resumed.
const eventStoreBytes = 1 << 20

// versions are the protocol versions that a server of this era speaks; they are
// dates, and so are ordered as texts. A server with sessions speaks the older ones
// too, and one without speaks no older one.
func versions(era string) []string {
	return slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool {
		return v > era || era == wire.EraStateless && v < era
	})
}

// handlerOptions are the SDK's settings for a completed configuration. In the
// stateless era a disconnect is a cancel, and reaches the tool; before that it is
// none.
func handlerOptions(cfg Config) *mcp.StreamableHTTPOptions {
	options := &mcp.StreamableHTTPOptions{
		Stateless:                    !cfg.Stateful,
		JSONResponse:                 !cfg.SSE,
		SessionTimeout:               cfg.SessionTimeout,
		Logger:                       cfg.Logger,
		PropagateRequestCancellation: cfg.Era == wire.EraStateless,
	}
	if cfg.Resumable {
		store := mcp.NewMemoryEventStore(nil)
		store.SetMaxBytes(eventStoreBytes)
		options.EventStore = store
	}
	return options
}

// onlyStateless refuses what does not say in its header that it is of the stateless
// era: without the header the SDK takes a request for one of 2025-03-26, and answers
// another version in plain text (2026-07-28, streamable HTTP, Protocol Version
// Header).
func onlyStateless(next http.Handler) http.Handler {
	supported := versions(wire.EraStateless)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version := r.Header.Get("Mcp-Protocol-Version")
		switch {
		case r.Method != http.MethodPost || slices.Contains(supported, version):
			next.ServeHTTP(w, r)
		case version == "":
			refuse(w, r, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "the header Mcp-Protocol-Version is missing"})
		default:
			data, _ := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: supported, Requested: version}) // texts always encode
			refuse(w, r, &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "unsupported protocol version", Data: data})
		}
	})
}

// maxRefused bounds how much of a refused request is read to find its id.
const maxRefused = 4 << 20

// refuse answers a request with HTTP 400 and a JSON-RPC error under its id.
func refuse(w http.ResponseWriter, r *http.Request, why *jsonrpc.Error) {
	id := json.RawMessage("null")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRefused))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if m, err := wire.ParseMessage(body); err == nil && m.ID != nil {
		id = m.ID
	}
	var answer bytes.Buffer
	answer.WriteString(`{"jsonrpc":"2.0","id":`)
	answer.Write(id)
	answer.WriteString(`,"error":`)
	detail, _ := json.Marshal(why) // texts and JSON always encode
	answer.Write(detail)
	answer.WriteString("}")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(answer.Bytes()) // a client that is gone needs no answer
}
