package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpstorm/internal/near"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reports/check"
	"mcpstorm/scenarios"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
	"mcpstorm/xk6-mcp/engine"
)

// load reads the script and everything that it and the command line say, and
// refuses whatever is wrong before anything is started.
func (r *run) load(ctx context.Context) (err error) {
	if err := r.loadProgram(ctx); err != nil {
		return err
	}
	if err := r.configure(); err != nil {
		return &Error{ExitOptions, err}
	}
	if r.known, err = r.options.knownFailures(r.storm.armNames()); err != nil {
		return &Error{ExitOptions, err}
	}
	if r.options.Warn != nil {
		for _, warning := range slices.Concat(r.program.Warnings(), r.idleBugs()) {
			r.options.Warn(warning)
		}
	}
	return nil
}

// loadProgram reads the script and what it imports, and evaluates them once.
func (r *run) loadProgram(ctx context.Context) error {
	source, err := readScript(r.options.Script)
	if err != nil {
		return &Error{ExitOptions, err}
	}
	r.program, err = engine.Load(r.options.Script, engine.LoadOptions{
		Context: ctx, Modules: []engine.Module{r.module}, Env: r.options.Env, Clock: r.options.Clock,
		Seed: r.options.Seed, Console: r.options.Console, Print: r.options.Print, Source: source,
		Below: r.options.Below, Above: r.options.above(), Scenarios: r.options.Scenarios,
	})
	if err != nil {
		return &Error{engine.ExitCode(err), err}
	}
	return nil
}

// readScript reads a script from disk, or else one that comes with mcpstorm, which
// may be named without its folder and ending.
func readScript(path string) ([]byte, error) {
	source, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return source, err
	}
	name := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(path)), "scenarios/")
	if embedded, err := scenarios.Files.ReadFile(strings.TrimSuffix(name, ".js") + ".js"); err == nil {
		return embedded, nil
	}
	return nil, fmt.Errorf("script %s: no such file%s", path, near.Suggestion(path, bundled()))
}

// bundled are the names of the scripts that come with mcpstorm.
func bundled() (names []string) {
	files, _ := scenarios.Files.ReadDir(".") // an embedded folder can always be read
	for _, file := range files {
		if !file.IsDir() {
			names = append(names, strings.TrimSuffix(file.Name(), ".js"))
		}
	}
	return names
}

func (r *run) configure() (err error) {
	var ok bool
	if r.rawStorm, ok = r.program.Export("storm"); !ok {
		return r.configurePlain()
	}
	if r.storm, err = ParseStorm(r.rawStorm); err != nil {
		return err
	}
	r.storm.applyFaults(r.options.Faults)
	r.storm.addControl()
	if err := errors.Join(
		r.storm.applyPolicies(r.options.Policies), r.storm.applyLatency(r.options.TurnLatency),
		r.storm.applyEra(r.options.Era), r.storm.applyReissue(r.options.Reissue), checkAssert(r.storm.Assert),
	); err != nil {
		return err
	}
	if err := checkAPI(r.options.ToxiproxyAPI); err != nil {
		return err
	}
	if err := r.program.Validate(); err != nil {
		return err
	}
	return r.makeArms()
}

// checkAPI refuses an address that others than this machine could reach.
func checkAPI(addr string) error {
	if addr == "" {
		return nil
	}
	if err := proxy.CheckLoopback(addr); err != nil {
		return fmt.Errorf("--toxiproxy-api: %w", err)
	}
	return nil
}

// checkAssert refuses the name of an invariant that this version does not know, and a list
// of none, which would judge by all of them.
func checkAssert(named []string) error {
	if named != nil && len(named) == 0 {
		return stormError("assert is empty: leave it out to judge by every invariant, or name some; coverage and no-hang are always judged")
	}
	var known []string
	for _, info := range check.Known() {
		known = append(known, info.ID)
	}
	for _, id := range named {
		if !slices.Contains(known, id) {
			return stormError("assert names %q; known: %s%s", id, joined(known), near.Suggestion(id, known))
		}
	}
	return nil
}

// makeArms gives every arm its plan and its blocks of task numbers: those of the
// control arm come last.
func (r *run) makeArms() error {
	scenarioOf := map[int]string{}
	blocks := map[string]map[string]int{}
	for _, spec := range controlLast(r.storm.Arms) {
		blocks[spec.Name] = map[string]int{}
		for _, s := range r.program.Options().Scenarios {
			block := len(scenarioOf)
			scenarioOf[block], blocks[spec.Name][s.Name] = s.Name, block
		}
	}
	var err error
	if r.pick, err = r.picks(scenarioOf); err != nil {
		return err
	}
	for _, spec := range r.storm.Arms {
		if r.options.onlyArm != "" && r.options.onlyArm != spec.Name {
			continue
		}
		a := &arm{
			parent: r, spec: spec, storm: r.storm.forArm(spec), blocks: blocks[spec.Name], scenarios: scenarioOf,
			upstreams: map[string]*upstream{}, proxies: map[string]*proxy.Proxy{},
		}
		if err := a.configure(); err != nil {
			return err
		}
		r.arms = append(r.arms, a)
	}
	return nil
}

// controlLast puts the control arms, which run first, at the end.
func controlLast(arms []ArmSpec) []ArmSpec {
	n := slices.IndexFunc(arms, func(a ArmSpec) bool { return !a.Control() })
	return slices.Concat(arms[n:], arms[:n])
}

// configure looks up what the arm's storm names, and makes its plan.
func (a *arm) configure() (err error) {
	if len(a.parent.options.Bugs) > 0 {
		a.storm.Bugs = a.parent.options.Bugs
	}
	if a.kinds, err = kindsOf(a.storm); err != nil {
		return err
	}
	if err := a.storm.checkEras(); err != nil {
		return err
	}
	rules, err := plan.Parse(a.storm.Faults, a.storm.Names())
	if err != nil {
		return err
	}
	if err := errors.Join(a.checkKills(rules), a.checkTools(rules)); err != nil {
		return err
	}
	if rules, a.heal, err = a.storm.healed(rules); err != nil {
		return err
	}
	a.plan, err = plan.New(rules, a.parent.options.Seed, a.scenarios)
	return err
}

// kindsOf looks up every reference server of a storm, and that each bug has a
// home among them.
func kindsOf(s *Storm) (map[string]refserver.Kind, error) {
	kinds := map[string]refserver.Kind{}
	for _, server := range s.Servers {
		if server.Reference == "" {
			continue
		}
		kind, err := all.Servers().Lookup(server.Reference)
		if err != nil {
			return nil, stormError("servers.%s: %w", server.Name, err)
		}
		if err := server.checkSettings(); err != nil {
			return nil, err
		}
		kinds[server.Name] = kind
	}
	for _, bug := range s.Bugs {
		if bug == "" {
			return nil, fmt.Errorf("a bug without a name; they have: %s", joined(bugsOf(kinds)))
		}
		if !slices.ContainsFunc(s.Servers, func(server ServerSpec) bool { return hasBug(kinds[server.Name], bug) }) {
			return nil, fmt.Errorf("bug %s: no server of this script has it; they have: %s%s", bug, joined(bugsOf(kinds)), near.SuggestionAfter("FM-", bug, bugsOf(kinds)))
		}
	}
	return kinds, nil
}

func hasBug(kind refserver.Kind, bug string) bool {
	_, ok := kind.Bugs[bug]
	return ok
}

func bugsOf(kinds map[string]refserver.Kind) []string {
	var ids []string
	for _, kind := range kinds {
		ids = append(ids, kind.BugIDs()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func stormError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrStorm, fmt.Errorf(format, args...))
}
