package telemetry

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"mcpstorm/history"
)

type attributes = []attribute.KeyValue

// spanName is the name of an operation's span: the method and, of a call, the tool.
func spanName(o *history.Op, attempts []history.Attempt) string {
	method := opMethod(o, attempts)
	switch {
	case method == methodCall:
		return strings.TrimSpace(method + " " + o.Tool)
	case method != "":
		return method
	}
	return string(o.Kind) // closing a session is no message of MCP
}

// opMethod is the method that an operation is about.
func opMethod(o *history.Op, attempts []history.Attempt) string {
	if o.Kind != history.KindConnect {
		return kinds[o.Kind]
	}
	for _, a := range attempts {
		if a.Role == history.RoleDiscover {
			return methodDiscover
		}
	}
	return methodInit
}

// opFacts are what only an operation's span tells.
func opFacts(o *history.Op, attempts []history.Attempt) attributes {
	set := attributes{
		attribute.String(attrOp, o.Op), attribute.String(attrRollout, o.Rollout), attribute.Int(attrAttempts, o.Attempts),
		attribute.String(attrTransport, "tcp"), attribute.String(attrProtocol, "http"),
	}
	method := opMethod(o, attempts)
	set = add(set, attrMethod, method)
	if method == methodCall {
		set = append(set, attribute.String(attrOperation, executeTool))
	}
	if len(attempts) > 0 {
		set = add(set, attrVersion, attempts[0].Era)
	}
	return set
}

// exchangeFacts are what only an exchange's span tells.
func exchangeFacts(a history.Attempt) attributes {
	set := attributes{
		attribute.String(attrOp, a.Op), attribute.String(attrRollout, a.Rollout),
		attribute.String(attrRole, string(a.Role)), attribute.String(attrTrace, a.Trace),
		attribute.String(attrHTTPMethod, httpMethod(a.Role)),
	}
	if a.Status != 0 {
		set = append(set, attribute.Int(attrHTTPStatus, a.Status))
	}
	if a.Mark != nil {
		set = append(set, attribute.String(attrFault, a.Mark.Cut+" "+a.Mark.Manner))
	}
	return set
}

func httpMethod(role history.ExchangeRole) string {
	switch role {
	case history.RoleDelete:
		return http.MethodDelete
	case history.RoleGet:
		return http.MethodGet
	}
	return http.MethodPost
}
