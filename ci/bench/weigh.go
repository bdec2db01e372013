package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/engine"
)

// patience bounds the wait until every rollout is there to be weighed.
const patience = 60 * time.Second

// script is one rollout with one connection and one call. Its virtual user has
// what a scenario's usually has.
const script = `import { check } from 'k6';
import { Counter, Trend } from 'k6/metrics';
import mcp from 'k6/x/mcp';
const calls = new Counter('calls'), lengths = new Trend('lengths');
export const options = { scenarios: { ` + scenarioName + `: { executor: 'per-vu-iterations', vus: 1, iterations: 1 } } };
export default function () {
	const tools = mcp.rollout().connect('` + serverName + `');
	const result = tools.callTool({ name: '` + toolName + `', arguments: ` + toolArguments + ` });
	calls.add(1);
	lengths.add(result.text.length);
	check(result, { 'is an answer': r => !r.isError });
}
`

// weight is what one rollout holds while its connection is open: its virtual
// user, its client, and its part of the fault layer.
type weight struct {
	bytes      float64 // live heap and stacks
	goroutines float64
}

// weigh holds rollouts open through the fault layer and weighs them together.
func weigh(ctx context.Context, addr string, rollouts int) (*weight, error) {
	g, err := openRig(addr)
	if err != nil {
		return nil, err
	}
	module := xk6mcp.New()
	program, err := engine.Load("weigh.js", engine.LoadOptions{
		Source: []byte(script), Modules: []engine.Module{module},
		Above: []engine.Layer{{{Option: "vus", Value: json.RawMessage(strconv.Itoa(rollouts))}}},
	})
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h := &hold{rig: g, want: int64(rollouts), full: make(chan struct{}), release: make(chan struct{})}
	ctx, h.fail = context.WithCancelCause(ctx)
	defer h.fail(nil)
	module.Use(h)
	w, err := h.weigh(ctx, program, module.Hooks())
	return w, errors.Join(err, g.close())
}

// hold is a target that lets no rollout go on after its call, until all are there.
type hold struct {
	*rig
	want    int64
	arrived atomic.Int64
	full    chan struct{} // closed when all are there
	release chan struct{} // closed when they may go on
	fail    context.CancelCauseFunc
}

var (
	_ xk6mcp.Target = (*hold)(nil)
	_ xk6mcp.Record = (*hold)(nil)
)

func (h *hold) weigh(ctx context.Context, program *engine.Program, hooks engine.Hooks) (*weight, error) {
	before, goroutines := inUse(), runtime.NumGoroutine()
	ended := make(chan error, 1)
	go func() {
		_, err := program.Run(ctx, engine.RunOptions{Hooks: hooks})
		ended <- err
	}()
	var w *weight
	var failed error
	select {
	case <-h.full:
		n := float64(h.want)
		w = &weight{bytes: float64(inUse()-before) / n, goroutines: float64(runtime.NumGoroutine()-goroutines) / n}
	case <-ctx.Done():
		failed = fmt.Errorf("%d of %d were there: %w", h.arrived.Load(), h.want, context.Cause(ctx))
	}
	close(h.release)
	if err := <-ended; failed == nil {
		failed = err
	}
	return w, failed
}

// inUse is the live heap and the stacks of this process, in bytes.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // the first one only moves what pools hold to where it can be freed
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// Op implements xk6mcp.Record. A rollout waits here after its call, with its
// connection open.
func (h *hold) Op(o history.Op) {
	h.rig.Op(o)
	if o.Told != history.ToldOK {
		h.fail(fmt.Errorf("%s was told %s: %+v", o.Op, o.Told, o.Cause))
	}
	if o.Kind != history.KindTool {
		return
	}
	if h.arrived.Add(1) == h.want {
		close(h.full)
	}
	<-h.release
}

// Arm implements xk6mcp.Target.
func (h *hold) Arm() string { return armName }

// Base implements xk6mcp.Target.
func (h *hold) Base() *clock.Base { return h.base }

// Record implements xk6mcp.Target.
func (h *hold) Record() xk6mcp.Record { return h }

// Restarts implements xk6mcp.Target.
func (h *hold) Restarts() xk6mcp.Restarts { return xk6mcp.Restarts{} }

// Task implements xk6mcp.Target.
func (h *hold) Task(_ string, iteration int64) string { return wire.TaskID(0, iteration) }

// Dial implements xk6mcp.Target.
func (h *hold) Dial(d xk6mcp.Dial) (client.Caller, xk6mcp.Server, error) {
	policy, err := client.Preset(persistent)
	if err != nil {
		return nil, xk6mcp.Server{}, err
	}
	c, err := newClient(h.proxy.Addr(), d.Task, d.Recorder, h.base)
	return c, xk6mcp.Server{Name: serverName, Policy: policy, Keys: keys}, err
}
