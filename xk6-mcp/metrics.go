package xk6mcp

import (
	"errors"
	"maps"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// metrics are the module's own. Those of an operation count what the script
// wanted; those of a request count what the client sent for it.
type metrics struct {
	opDuration, ops, opFailed                    *engine.Metric
	requestDuration, requestCount, requestErrors *engine.Metric
}

func registerMetrics(vu *engine.VU) (*metrics, error) {
	var m metrics
	var failed error
	register := func(into **engine.Metric, name string, t engine.MetricType, isTime bool) {
		metric, err := vu.RegisterMetric(name, t, isTime)
		*into, failed = metric, errors.Join(failed, err)
	}
	register(&m.opDuration, "mcp_op_duration", engine.Trend, true)
	register(&m.ops, "mcp_ops", engine.Counter, false)
	register(&m.opFailed, "mcp_op_failed", engine.Rate, false)
	register(&m.requestDuration, "mcp_request_duration", engine.Trend, true)
	register(&m.requestCount, "mcp_request_count", engine.Counter, false)
	register(&m.requestErrors, "mcp_request_errors", engine.Counter, false)
	return &m, failed
}

// operation adds the samples of one operation.
func (m *metrics) operation(vu *engine.VU, o history.Op, own map[string]string) {
	tags := map[string]string{
		"kind": string(o.Kind), "server": o.Server, "told": string(o.Told), "policy": o.Policy, "arm": o.Arm,
	}
	maps.Copy(tags, own)
	if o.Tool != "" {
		tags["tool"] = o.Tool
	}
	failed := 0.0
	if o.Told != history.ToldOK && o.Told != history.ToldToolError {
		failed = 1
	}
	vu.Emit(m.opDuration, millis(o.Start, o.End), tags)
	vu.Emit(m.ops, 1, tags)
	vu.Emit(m.opFailed, failed, tags)
}

// rpcMethods is the JSON-RPC or HTTP method of each role, for the tag method.
var rpcMethods = map[history.ExchangeRole]string{
	history.RoleInitialize:  "initialize",
	history.RoleInitialized: "notifications/initialized",
	history.RoleCancelled:   "notifications/cancelled",
	history.RoleCall:        "tools/call",
	history.RoleList:        "tools/list", // or the list that its operation names
	history.RoleGet:         "GET",
	history.RoleDelete:      "DELETE",
	history.RoleDiscover:    "server/discover",
	history.RoleSettle:      "tools/call",
	history.RoleLookup:      "tools/call",
}

// request adds the samples of one exchange. The operation that it was made for is
// nil when a session is closed that the script left open.
func (m *metrics) request(vu *engine.VU, a history.Attempt, o *operation) {
	tags := map[string]string{"method": rpcMethods[a.Role], "server": a.Server}
	if o != nil {
		maps.Copy(tags, o.tags)
		if a.Role == history.RoleList || a.Role == history.RoleRead {
			tags["method"] = o.method
		}
	}
	vu.Emit(m.requestDuration, millis(a.Start, a.End), tags)
	vu.Emit(m.requestCount, 1, tags)
	if a.Told != history.ToldOK {
		vu.Emit(m.requestErrors, 1, tags)
	}
	vu.EmitData(a.Written, a.Read, tags)
}

func millis(from, to history.Instant) float64 {
	return float64(time.Duration(to-from)) / float64(time.Millisecond)
}
