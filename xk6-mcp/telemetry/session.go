package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"mcpstorm/history"
)

// session is one that was opened and not yet closed. Where a rollout opens a second
// one on the same server before it closes the first, no record tells which of them
// a DELETE ends, and neither is measured.
type session struct {
	start     history.Instant
	ambiguous bool
}

// session follows the sessions of the rollouts, from the request that opens one to
// the answer that ends it. One that is never closed has no known duration.
func (w *worker) session(a history.Attempt) {
	key := sessionKey{a.Arm, a.Rollout, a.Server}
	switch a.Role {
	case history.RoleInitialize:
		if a.Told == history.ToldOK {
			_, already := w.open[key]
			w.open[key] = session{a.Start, already}
		}
	case history.RoleDelete:
		s, known := w.open[key]
		delete(w.open, key)
		if !known || s.ambiguous {
			return
		}
		set := attributes{
			attribute.String(attrTransport, "tcp"), attribute.String(attrProtocol, "http"),
			attribute.String(attrArm, a.Arm), attribute.String(attrServer, a.Server),
		}
		set = append(set, w.places[placeKey{a.Arm, a.Server}]...)
		set = add(set, attrVersion, a.Era)
		set = add(set, attrError, failureOf(a.Cause))
		w.sessions.Record(context.Background(), seconds(s.start, a.End), metric.WithAttributes(set...))
	}
}
