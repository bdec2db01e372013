package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

const (
	armName      = "main"
	scenarioName = "rollouts"
	// closeTimeout bounds the closing of the fault layer.
	closeTimeout = 10 * time.Second
)

// keys is how an operation on the server is named.
var keys = wire.KeyRule{OpArgument: "op"}

// rig is the fault layer before the server and the history of what passes it,
// wired as a run wires them. Its plan decides about every call and marks none.
// Its records may come from any goroutine.
type rig struct {
	dir    string // holds the history; removed on closing
	writer *history.Writer
	plan   *plan.Plan
	proxy  *proxy.Proxy
	base   *clock.Base

	attempts, wires atomic.Int64 // records so far
}

func openRig(addr string) (*rig, error) {
	dir, err := os.MkdirTemp("", "mcpstorm-bench-")
	if err != nil {
		return nil, err
	}
	g := &rig{dir: dir, base: clock.NewBase(system)}
	if err := g.open(addr); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (g *rig) open(addr string) (err error) {
	none := plan.Rule{ID: "r01", On: serverName, Cut: plan.C4, Manner: plan.RST, At: history.RoleCall, Attempts: plan.DefaultAttempts}
	if g.plan, err = plan.New([]plan.Rule{none}, 1, map[int]string{0: scenarioName}); err != nil {
		return err
	}
	if g.writer, err = history.Create(filepath.Join(g.dir, "history"), history.WriterOptions{PackAbove: -1}); err != nil {
		return err
	}
	g.proxy, err = proxy.Start(proxy.Options{
		Name: serverName, Arm: armName, Upstream: addr, KeyRule: keys,
		Decider: g.plan, Receipts: g, Tap: g, Clock: system, Base: g.base,
	})
	return err
}

// Op records one operation.
func (g *rig) Op(o history.Op) { g.writer.Op(o) }

// Attempt implements client.Recorder: it records one exchange, and beside it what
// the plan says of it.
func (g *rig) Attempt(a history.Attempt) {
	a.Arm = armName
	a.Mark = g.plan.Mark(a)
	g.writer.Attempt(a)
	g.attempts.Add(1)
}

// Rollout records one rollout.
func (g *rig) Rollout(r history.Rollout) { g.writer.Rollout(r) }

// Receipt implements toxics.ReceiptSink.
func (g *rig) Receipt(f history.Fault) { g.writer.Fault(f) }

// Exchange implements toxics.Tap.
func (g *rig) Exchange(w history.Wire) {
	g.writer.Wire(w)
	g.wires.Add(1)
}

// close ends the fault layer and the history. It is an error when the history is
// not whole, or when the witness did not see every exchange: then something else
// was measured. The clients must be idle.
func (g *rig) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var failed error
	if g.proxy != nil {
		failed = g.proxy.Close(ctx)
	}
	if g.writer != nil {
		failed = errors.Join(failed, g.writer.Close())
	}
	if seen, made := g.wires.Load(), g.attempts.Load(); seen != made && failed == nil {
		failed = fmt.Errorf("the witness saw %d of %d exchanges", seen, made)
	}
	return errors.Join(failed, os.RemoveAll(g.dir))
}
