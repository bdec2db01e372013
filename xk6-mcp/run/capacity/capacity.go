package capacity

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/run"
	"mcpstorm/xk6-mcp/run/levels"
)

// Settings are what a search is of, and how far it goes. Zero values stand for the
// defaults that are named.
type Settings struct {
	// Run are the options of every level: the script, the seed, the faults and what
	// else is put over the script. Its load and its folder are the search's.
	Run        run.Options
	Objectives []string // failed<1% where there is none
	Policies   []string // a curve for each; the script's own where there is none
	From, To   int      // rollouts at once: 8 and 512
	// Within is how close the search comes, as a share of the capacity: 0.05.
	Within float64
	// Rollouts is how many a level has at least: by default as many as the objectives
	// need to hold where one rollout fails.
	Rollouts int
	// Dir is where the result and the runs go; by default runs/capacity-NAME-ID, whose
	// ID names everything that the result depends on.
	Dir   string
	Keep  bool        // the runs of the levels
	Clock clock.Clock // nil means the system's
	// Stale hears, before any level, of levels that another version or revision of the
	// program has measured, which are measured again. nil hears nothing.
	Stale func(levels int, program string)
	// Each hears of every level, from one goroutine: known ones were measured before
	// the search went on. nil hears nothing.
	Each func(policy string, l Level, known bool)
}

// searcher is one search under way.
type searcher struct {
	settings   Settings
	objectives []Objective
	result     *Result
}

// Search searches, or goes on with a search that was stopped, and returns what it has
// found and the folder that holds it. When ctx ends, the level under way is dropped,
// and the result so far is returned beside ctx's error. Other errors wrap those of
// this package, or are a *run.Error.
func Search(ctx context.Context, s Settings) (*Result, string, error) {
	one := &searcher{settings: s}
	if err := one.complete(ctx); err != nil {
		return nil, "", err
	}
	for i, policy := range one.result.Key.Policies {
		if i == len(one.result.Curves) {
			one.result.Curves = append(one.result.Curves, Curve{Policy: policy})
		}
		if err := one.curve(ctx, &one.result.Curves[i]); err != nil {
			return one.result, one.settings.Dir, err
		}
	}
	one.result.Finished = true
	return one.result, one.settings.Dir, one.result.save(one.settings.Dir)
}

// complete puts the defaults in, refuses what cannot be searched, and opens the folder.
func (s *searcher) complete(ctx context.Context) error {
	o := &s.settings
	o.From, o.To, o.Within = cmp.Or(o.From, 8), cmp.Or(o.To, 512), cmp.Or(o.Within, 0.05)
	if len(o.Objectives) == 0 {
		o.Objectives = []string{"failed<1%"}
	}
	if len(o.Policies) == 0 {
		o.Policies = []string{""}
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	o.Run.Clock = o.Clock
	switch {
	case o.From < 1 || o.To < o.From:
		return fmt.Errorf("%w: levels from %d to %d: want 1 or more, in order", ErrSettings, o.From, o.To)
	case !(o.Within > 0 && o.Within < 1):
		return fmt.Errorf("%w: within %g: want a share between 0 and 1", ErrSettings, o.Within)
	case o.Rollouts < 0:
		return fmt.Errorf("%w: %d rollouts a level", ErrSettings, o.Rollouts)
	case len(slices.Compact(slices.Sorted(slices.Values(o.Policies)))) < len(o.Policies):
		return fmt.Errorf("%w: a policy is named twice: %s", ErrSettings, strings.Join(o.Policies, ", "))
	}
	if err := s.readObjectives(); err != nil {
		return err
	}
	return s.open(ctx)
}

func (s *searcher) readObjectives() error {
	o := &s.settings
	needed := 0
	o.Objectives = slices.Clone(o.Objectives) // the caller's own stay as they were written
	for i, text := range o.Objectives {
		objective, err := ParseObjective(text)
		if err != nil {
			return err
		}
		o.Objectives[i] = objective.Text
		s.objectives = append(s.objectives, objective)
		needed = max(needed, objective.rollouts())
		if o.Rollouts > 0 && o.Rollouts < objective.rollouts() {
			return fmt.Errorf("%w: %d rollouts a level could never show that %s holds: it takes %d", ErrSettings, o.Rollouts, objective.Text, objective.rollouts())
		}
	}
	o.Rollouts = cmp.Or(o.Rollouts, needed)
	return nil
}

// open makes the folder and reads what it holds.
func (s *searcher) open(ctx context.Context) error {
	o := &s.settings
	script, err := run.ScriptDigest(ctx, o.Run)
	if err != nil {
		return err
	}
	overrides, err := json.Marshal([]any{
		o.Run.Era, o.Run.Reissue, o.Run.Faults, o.Run.Bugs, o.Run.TurnLatency, o.Run.Env, o.Run.Policies, o.Run.Above, o.Run.Below,
		o.Run.Only, o.Run.Scenarios, o.Run.NoHostProbe, o.Run.BypassFaults,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	key := Key{
		Script: o.Run.Script, SHA256: script, Seed: uint64(o.Run.Seed), Objectives: o.Objectives, Policies: o.Policies,
		From: o.From, To: o.To, Within: o.Within, Rollouts: o.Rollouts, Overrides: digest(overrides),
	}
	if o.Dir == "" {
		name := strings.TrimSuffix(filepath.Base(o.Run.Script), ".js")
		o.Dir = filepath.Join("runs", "capacity-"+name+"-"+key.id())
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	if s.result, err = resume(o.Dir, key); err != nil {
		return err
	}
	s.renew()
	return nil
}

// renew forgets what another build of the program has measured: the difference may be
// the program's own.
func (s *searcher) renew() {
	o, known := &s.settings, s.result
	s.result = &Result{Schema: Schema, Key: known.Key, Version: o.Run.Version, Revision: o.Run.Revision}
	if known.program() == s.result.program() {
		s.result = known
	} else if n := known.levels(); n > 0 && o.Stale != nil {
		o.Stale(n, known.program())
	}
}

// curve searches for what one policy carries.
func (s *searcher) curve(ctx context.Context, c *Curve) error {
	held := func(concurrency int) (bool, error) {
		for _, l := range c.Levels {
			if l.Concurrency == concurrency {
				s.each(c.Policy, l, true)
				return l.Held, nil
			}
		}
		level, err := s.measure(ctx, c.Policy, concurrency)
		if err != nil {
			return false, err
		}
		c.Levels = append(c.Levels, level)
		slices.SortFunc(c.Levels, func(a, b Level) int { return cmp.Compare(a.Concurrency, b.Concurrency) })
		s.each(c.Policy, level, false)
		return level.Held, s.result.save(s.settings.Dir)
	}
	carried, err := levels.Search(s.settings.From, s.settings.To, s.settings.Within, held)
	if err != nil {
		return err
	}
	c.Capacity, c.Knee, c.Finished, c.Beyond = carried, knee(c.Levels), true, true
	for _, l := range c.Levels {
		if l.Concurrency > carried && !l.Held {
			c.Limit, c.Beyond = l.Limit, false
			break
		}
	}
	return nil
}

func (s *searcher) each(policy string, l Level, known bool) {
	if s.settings.Each != nil {
		s.settings.Each(policy, l, known)
	}
}
