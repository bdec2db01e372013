package museum

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/run"
)

// genericScript is the scenario of the generic plan.
const genericScript = "scenarios/museum/any.js"

// GenericFloor is how many exhibits the generic plan must catch at least, also on a host
// that is busy: one so slow that a look-up takes longer than the call that it is about
// hides FM-59 for instance, and rarely another.
const GenericFloor = 20

// Options say which exhibits are shown, and how often.
type Options struct {
	// IDs are the exhibits to show; none means all.
	IDs []string
	// Seeds is with how many seeds, from 1; zero means one.
	Seeds int
	// Generic puts one scenario in the place of each exhibit's own. Its plan knows
	// none of them, and its one twin is that of all.
	Generic bool
	// Parallel is how many runs there are at once, for they mostly wait; zero means
	// two for each core.
	Parallel int
	// Dir keeps the histories, as ID-SEED and ID-SEED-twin; empty drops them.
	Dir string
	// Note is called after each run, from one goroutine at a time; nil drops them.
	Note func(Shown)
}

// Shown is one run of an exhibit, or of its twin.
type Shown struct {
	ID    string `json:"id"`
	Seed  uint64 `json:"seed"`
	Twin  bool   `json:"twin,omitempty"`
	Clean bool   `json:"clean"` // nothing was violated, and the run measured what it claims
	// Caught says that the exhibit's own invariant was violated, and After in which
	// rollout that first showed, from 1 in the order in which they ended.
	Caught   bool   `json:"caught"`
	After    int    `json:"after,omitempty"`
	Rollouts int    `json:"rollouts"`
	Verdict  string `json:"verdict"` // the verdict in one line
	Story    *Story `json:"story,omitempty"`
}

// Row is one exhibit with everything that was shown of it, in order of the seeds.
type Row struct {
	Exhibit
	Bug  []Shown `json:"runs"`
	Twin []Shown `json:"twin"`
}

// Caught reports whether it was caught with every seed.
func (r Row) Caught() bool {
	return !slices.ContainsFunc(r.Bug, func(s Shown) bool { return !s.Caught })
}

// Clean reports whether its twin was clean with every seed.
func (r Row) Clean() bool {
	return !slices.ContainsFunc(r.Twin, func(s Shown) bool { return !s.Clean })
}

// AsExpected reports whether what was shown is as it must be: every twin is clean and
// every exhibit caught, or by the generic plan at least GenericFloor of them all.
func AsExpected(rows []Row, o Options) bool {
	caught := 0
	for _, r := range rows {
		if !r.Clean() {
			return false
		}
		if r.Caught() {
			caught++
		}
	}
	return caught == len(rows) || o.Generic && caught >= min(GenericFloor, len(rows))
}

// Show runs exhibits and their twins. An error says that a run could not be made, or
// that an id is unknown.
func Show(ctx context.Context, o Options) ([]Row, error) {
	exhibits, err := Find(o.IDs)
	if err != nil {
		return nil, err
	}
	v := &visit{Options: o}
	if v.Seeds == 0 {
		v.Seeds = 1
	}
	if v.Parallel == 0 {
		v.Parallel = 2 * runtime.GOMAXPROCS(0)
	}
	if v.scratch = v.Dir == ""; v.scratch {
		if v.Dir, err = os.MkdirTemp("", "mcpstorm-museum-"); err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(v.Dir) }() // what is left is in the system's temporary folder
	}
	rows := make([]Row, len(exhibits))
	free := make(chan struct{}, v.Parallel)
	var running sync.WaitGroup
	for i, e := range exhibits {
		rows[i] = Row{Exhibit: e, Bug: make([]Shown, v.Seeds), Twin: make([]Shown, v.Seeds)}
		for s := range v.Seeds {
			for twin, place := range map[bool]*Shown{false: &rows[i].Bug[s], true: &rows[i].Twin[s]} {
				if twin && i > 0 && v.Generic {
					continue
				}
				free <- struct{}{}
				running.Go(func() {
					defer func() { <-free }()
					v.show(ctx, e, uint64(s)+1, twin, place)
				})
			}
		}
	}
	running.Wait()
	if v.Generic {
		for i := range rows {
			rows[i].Twin = rows[0].Twin
		}
	}
	return rows, errors.Join(v.errs...)
}

// visit is a showing under way.
type visit struct {
	Options
	scratch bool // the histories are dropped
	mu      sync.Mutex
	errs    []error
}

// show makes one run.
func (v *visit) show(ctx context.Context, e Exhibit, root uint64, twin bool, place *Shown) {
	if ctx.Err() != nil {
		return
	}
	shown, err := v.once(ctx, e, root, twin)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.errs = append(v.errs, fmt.Errorf("%s, seed %d: %w", e.ID, root, err))
		return
	}
	*place = *shown
	if v.Note != nil {
		v.Note(*shown)
	}
}

func (v *visit) once(ctx context.Context, e Exhibit, root uint64, twin bool) (*Shown, error) {
	name := fmt.Sprintf("%s-%d", e.ID, root)
	// Several runs share the machine here, so whether it was the limit is not asked.
	o := run.Options{Script: e.Script(), Seed: seed.Root(root), NoHostProbe: true, NoCharts: true, NoSummary: true, AllowEmptyThresholds: true}
	if v.Generic {
		o.Script = genericScript
	}
	switch {
	case twin:
		name += "-twin"
	case e.Bug != "":
		o.Bugs = []string{e.Bug}
	default:
		o.Policies = []string{e.Policy}
	}
	o.Dir = filepath.Join(v.Dir, name)
	outcome, err := run.Run(ctx, o)
	switch {
	case err != nil:
		return nil, err
	case outcome.Exit == run.ExitStopped:
		return nil, &run.Error{Code: run.ExitStopped, Err: errors.New("stopped from outside")}
	case len(outcome.Troubles) > 0:
		return nil, errors.New(outcome.Troubles[0])
	}
	shown := judge(e, root, twin, outcome.History, outcome.Verdict)
	if v.scratch {
		err = os.RemoveAll(o.Dir)
	}
	return shown, err
}

// judge says what one run has shown.
func judge(e Exhibit, root uint64, twin bool, h *history.Run, verdict history.Verdict) *Shown {
	shown := &Shown{
		ID: e.ID, Seed: root, Twin: twin, Clean: verdict.Status == history.Pass,
		Rollouts: len(tasks(h)), Verdict: fmt.Sprintf("%s: %s", verdict.Status, verdict.Reason),
	}
	if inv := Caught(e, verdict); inv != nil && !twin {
		shown.Caught, shown.After, shown.Story = true, firstSeen(e, h), tell(e, h, inv)
	}
	return shown
}

// Caught is the exhibit's own invariant in a verdict, where it is violated by the
// kind that is meant, or nil.
func Caught(e Exhibit, v history.Verdict) *history.Invariant {
	for i := range v.Invariants {
		inv := &v.Invariants[i]
		if inv.ID == e.Invariant && inv.Status == history.Fail && strings.Contains(inv.Reason, e.Kind) {
			return inv
		}
	}
	return nil
}
