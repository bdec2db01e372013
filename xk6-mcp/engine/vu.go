package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
)

// maxCallStack bounds recursion in a script. Without a bound, endless
// recursion eats memory until the process is killed.
const maxCallStack = 2048

// VU is one virtual user: a JavaScript runtime and what belongs to it. All
// methods must be called from the goroutine that runs the VU: from a Module's
// Instantiate, from its functions when the script calls them, or from a hook.
type VU struct {
	// Data is a slot for the module that drives the VU. The engine sets it to
	// nil before it starts the VU's runtime and never reads it.
	Data any

	program *Program
	id      int
	env     map[string]string
	base    map[string]string // tags of the run and the scenario
	output  *aggregator       // nil while loading

	run      *run         // nil while loading
	scenario *scenarioRun // nil while loading, in setup and in teardown

	rt        *sobek.Runtime
	current   atomic.Pointer[sobek.Runtime] // rt, for interrupts from outside
	instances map[*goModule]*goInstance
	metrics   map[*sobek.Object]*Metric
	inInit    bool
	broken    bool // a Go panic unwound through the runtime

	ctx       context.Context
	iteration Iteration
	inVU      int64
	group     string
	own       map[string]string // tags that the script has given its samples
	tags      map[string]string // base, own and group; shared with samples, never changed
	samples   []Sample
	rejected  []*sobek.Promise
	cut       bool           // a blocking call was cut short
	quit      error          // the script has aborted the run
	sharing   bool           // the function of a SharedArray is running
	freezer   sobek.Callable // Object.freeze, for the elements of SharedArrays
	timers    timers
	asyncs    asyncs

	random       *rand.Rand
	randomNames  []string // the stream that random is drawn from when first used
	scriptSeeded bool     // init code called randomSeed
}

// Iteration says what a VU is doing. It is the zero value in init code, setup
// and teardown.
type Iteration struct {
	// Scenario is the scenario's name.
	Scenario string
	// InTest numbers the scenario's iterations from 0 and is unique in the
	// scenario. Under PerVUIterations it is a function of the VU and its own
	// count alone, whatever the scheduling; under an arrival rate it is the
	// number of the arrival, so that an arrival that was dropped leaves a gap.
	InTest int64
	// InVU counts the VU's iterations from 0: the script's __ITER.
	InVU int64
	// Run is 1 for the first run of InTest, and one more for every restart.
	Run int
	// Start is when the iteration began.
	Start time.Time
}

// Runtime returns the VU's JavaScript runtime.
func (vu *VU) Runtime() *sobek.Runtime { return vu.rt }

// Context ends when the iteration, setup or teardown that is running must stop
// at once. It is nil in init code.
func (vu *VU) Context() context.Context { return vu.ctx }

// ID is the script's __VU: unique in a run, from 1; 0 while loading, in setup
// and in teardown.
func (vu *VU) ID() int { return vu.id }

// Iteration returns what the VU is doing.
func (vu *VU) Iteration() Iteration { return vu.iteration }

// InInit reports whether the VU is running init code.
func (vu *VU) InInit() bool { return vu.inInit }

// RegisterMetric declares a metric. See Program.RegisterMetric.
func (vu *VU) RegisterMetric(name string, t MetricType, isTime bool) (*Metric, error) {
	return vu.program.RegisterMetric(name, t, isTime)
}

// Emit adds a sample with the present time and the VU's tags (those of the
// run, its scenario and the group it is in); tags, which may be nil, are added
// and win. The samples of an iteration surface when it has ended. Emit must
// not be called in init code.
func (vu *VU) Emit(m *Metric, value float64, tags map[string]string) {
	if vu.output == nil || vu.inInit {
		panic(fmt.Errorf("%w: emit %s", ErrInit, m.name))
	}
	vu.samples = append(vu.samples, Sample{m, value, mergeTags(vu.tags, tags), vu.program.clock.Now()})
}

// EmitData adds bytes to the metrics data_sent and data_received. A module that
// speaks to the network calls it with what it wrote and read; zero adds nothing.
// Otherwise it is as Emit.
func (vu *VU) EmitData(sent, received int64, tags map[string]string) {
	if sent > 0 {
		vu.Emit(vu.program.builtins.sent, float64(sent), tags)
	}
	if received > 0 {
		vu.Emit(vu.program.builtins.received, float64(received), tags)
	}
}

// flush hands the samples to the aggregator.
func (vu *VU) flush() {
	vu.output.send(vu.samples)
	vu.samples = vu.output.batch()
}

// Block runs fn, which may wait, with the VU's context. When the context has
// ended by the time fn returns, the script cannot go on: Block interrupts the
// runtime, and the iteration ends as interrupted whatever the caller does with
// the result. Every native that waits must wait in Block, because the runtime
// cannot interrupt Go code. In init code Block returns ErrInit.
func (vu *VU) Block(fn func(ctx context.Context) error) error {
	if vu.ctx == nil {
		return ErrInit
	}
	err := fn(vu.ctx)
	if vu.ctx.Err() != nil {
		vu.cut = true
		vu.rt.Interrupt(ErrInterrupted)
	}
	return err
}

// interrupt stops the script from any goroutine.
func (vu *VU) interrupt() {
	if rt := vu.current.Load(); rt != nil {
		rt.Interrupt(ErrInterrupted)
	}
}

// watch interrupts the VU when ctx ends, until the returned function is called.
func (vu *VU) watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, vu.interrupt)
}

// enterGroup puts the VU into a group until the returned function is called.
func (vu *VU) enterGroup(path string) (leave func()) {
	outer := vu.group
	vu.group = path
	vu.retag()
	return func() {
		vu.group = outer
		vu.retag()
	}
}

// retag computes the tags of the VU's samples.
func (vu *VU) retag() {
	vu.tags = mergeTags(vu.base, vu.own)
	if vu.group != "" {
		vu.tags = mergeTags(vu.tags, map[string]string{"group": vu.group})
	}
}

// rand is Math.random of the script. Its stream is chosen by reseed and made
// only when the script asks for a number.
func (vu *VU) rand() float64 {
	if vu.random == nil {
		vu.random = vu.program.seed.Stream(vu.randomNames...)
	}
	return vu.random.Float64()
}

// reseed names the stream of Math.random. A script that called randomSeed in
// its init code has taken over, and keeps its own sequence.
func (vu *VU) reseed(names ...string) {
	if !vu.scriptSeeded {
		vu.random, vu.randomNames = nil, append([]string{"math.random"}, names...)
	}
}

// begin makes the VU ready for one run of an iteration.
func (vu *VU) begin(scenario string, inTest int64, run int) {
	vu.iteration = Iteration{Scenario: scenario, InTest: inTest, InVU: vu.inVU, Run: run, Start: vu.program.clock.Now()}
	vu.inVU++
	if numbers := vu.numberTags(); len(numbers) > 0 {
		vu.base = mergeTags(vu.base, numbers)
		vu.retag()
	}
	vu.reseed(scenario, strconv.FormatInt(inTest, 10))
	vu.setGlobal("__ITER", vu.iteration.InVU)
}

func mergeTags(under, over map[string]string) map[string]string {
	if len(over) == 0 {
		return under
	}
	merged := make(map[string]string, len(under)+len(over))
	for k, v := range under {
		merged[k] = v
	}
	for k, v := range over {
		merged[k] = v
	}
	return merged
}
