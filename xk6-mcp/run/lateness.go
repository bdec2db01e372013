package run

import (
	"context"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
)

// probeEvery is how often the host is asked how late a timer fires.
const probeEvery = 10 * time.Millisecond

// latenessProbe measures what the host's processors do to the generator: a
// starved one fires its timers late.
type latenessProbe struct {
	cancel context.CancelFunc
	done   chan struct{}
	late   *hdrhistogram.Histogram // in microseconds
}

// watchLateness starts the probe. Without one, a nil probe measures nothing.
func watchLateness(c clock.Clock, off bool) *latenessProbe {
	if off {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &latenessProbe{cancel: cancel, done: make(chan struct{}), late: hdrhistogram.New(1, time.Hour.Microseconds(), 3)}
	go func() {
		defer close(p.done)
		for {
			asked := c.Now()
			if c.Sleep(ctx, probeEvery) != nil {
				return
			}
			late := max(c.Since(asked)-probeEvery, 0)
			_ = p.late.RecordValue(late.Microseconds()) // more than an hour late is lost, and would be seen otherwise
		}
	}()
	return p
}

// stop ends the probe; nil means that the arm was over before it measured.
func (p *latenessProbe) stop() *history.Lateness {
	if p == nil {
		return nil
	}
	p.cancel()
	<-p.done
	if p.late.TotalCount() == 0 {
		return nil
	}
	at := func(q float64) time.Duration { return time.Duration(p.late.ValueAtQuantile(q)) * time.Microsecond }
	return &history.Lateness{P50: at(50), P99: at(99), Max: at(100), Samples: p.late.TotalCount()}
}
