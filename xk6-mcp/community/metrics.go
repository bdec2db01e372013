package community

import (
	"errors"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

// metrics are those of the original, which are also what k6/x/mcp emits for
// every request of its own clients. The tag method tells the two apart: here it
// is the Go name of the method, such as CallTool.
type metrics struct{ duration, count, errors *engine.Metric }

func registerMetrics(vu *engine.VU) (*metrics, error) {
	duration, durationErr := vu.RegisterMetric("mcp_request_duration", engine.Trend, true)
	count, countErr := vu.RegisterMetric("mcp_request_count", engine.Counter, false)
	failed, failedErr := vu.RegisterMetric("mcp_request_errors", engine.Counter, false)
	return &metrics{duration, count, failed}, errors.Join(durationErr, countErr, failedErr)
}

// call adds the samples of one call. One that was never sent has no duration.
func (m *metrics) call(vu *engine.VU, method string, took time.Duration, sent bool, err error) {
	tags := map[string]string{"method": method}
	vu.Emit(m.count, 1, tags)
	if sent {
		vu.Emit(m.duration, float64(took)/float64(time.Millisecond), tags)
	}
	if err != nil {
		vu.Emit(m.errors, 1, tags)
	}
}
