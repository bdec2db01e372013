package run

import (
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"syscall"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/engine"
)

// manifest says how the run was made, as far as that is known when it starts.
func (r *run) manifest() (history.Manifest, error) {
	options, err := json.Marshal(r.program.Options())
	if err != nil {
		return history.Manifest{}, err
	}
	storm, err := redactStorm(r.rawStorm)
	if err != nil {
		return history.Manifest{}, err
	}
	return history.Manifest{
		ID: r.id, State: history.StateRunning,
		Script:  history.Script{Path: r.options.Script, SHA256: r.program.SHA256()},
		Seed:    uint64(r.options.Seed),
		Options: options, Storm: storm,
		Version: r.options.Version, Revision: r.options.Revision, Go: runtime.Version(),
		Host: host(), Wall: r.base.Wall().UTC(), Eras: []string{client.Era},
		Arms: []history.Arm{r.manifestArm()}, Assert: r.assert(), Named: r.storm.Assert, Notes: r.notes(),
	}, nil
}

func host() history.Host {
	h := history.Host{
		CPUs: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		GoDebug: os.Getenv("GODEBUG"), McpGo: os.Getenv("MCPGODEBUG"),
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		h.NoFile = limit.Cur
	}
	return h
}

func (r *run) manifestArm() history.Arm {
	arm := history.Arm{Name: mainArm, Judge: true, Policies: map[string]string{}, Bugs: r.options.Bugs}
	for _, spec := range r.storm.Servers {
		arm.Policies[spec.Name] = firstOf(spec.Policy, r.storm.Policy)
		arm.Servers = append(arm.Servers, r.manifestServer(spec))
	}
	for block, s := range r.program.Options().Scenarios {
		arm.Scenarios = append(arm.Scenarios, history.Scenario{
			Name: s.Name, Executor: s.Executor, VUs: s.VUs, Planned: s.Planned(), Block: block,
		})
	}
	return arm
}

func (r *run) manifestServer(spec ServerSpec) history.Server {
	server := history.Server{
		Name: spec.Name, Reference: spec.Reference, URL: spec.URL, Era: client.Era,
		SeqArgument: spec.SeqArgument, OpArgument: spec.OpArgument, Classes: spec.Tools,
	}
	if kind, ok := r.kinds[spec.Name]; ok {
		server.Effects, server.Classes = true, kind.Classes
		server.SeqArgument, server.OpArgument = kind.Keys.SeqArgument, kind.Keys.OpArgument
	}
	return server
}

// assert is the list of invariants that the run is judged by: those that the
// script names, or else all that this version knows.
func (r *run) assert() []string {
	if len(r.storm.Assert) > 0 {
		return r.storm.Assert
	}
	var ids []string
	for _, info := range check.Known() {
		ids = append(ids, info.ID)
	}
	return ids
}

// notes are what a reader of the numbers must know.
func (r *run) notes() []string {
	notes := []string{"deadlines are scaled down: 10 s for the 600 s of the originals"}
	for _, rule := range r.plan.Rules() {
		if rule.NotSeeded() {
			notes = append(notes, rule.ID+" is not seeded: toxicity or jitter draw from a global source")
		}
	}
	if r.options.BypassFaults {
		notes = append(notes, "the fault layer was bypassed")
	}
	return notes
}

// redactStorm puts a digest in the place of every credential in the servers'
// headers.
func redactStorm(raw json.RawMessage) (json.RawMessage, error) {
	var storm map[string]any
	if err := json.Unmarshal(raw, &storm); err != nil {
		return nil, err
	}
	servers, _ := storm["servers"].(map[string]any)
	for _, server := range servers {
		spec, _ := server.(map[string]any)
		headers, _ := spec["headers"].(map[string]any)
		for name, value := range headers {
			if text, ok := value.(string); ok && client.IsCredential(name) {
				headers[name] = client.Redacted(text)
			}
		}
	}
	return json.Marshal(storm)
}

// checkAssert refuses the name of an invariant that this version does not know.
func checkAssert(named []string) error {
	var known []string
	for _, info := range check.Known() {
		known = append(known, info.ID)
	}
	for _, id := range named {
		if !slices.Contains(known, id) {
			return stormError("assert names %q; known: %s", id, joined(known))
		}
	}
	return nil
}

// plannedOf is how many iterations all scenarios are to start.
func plannedOf(p *engine.Program) (n int64) {
	for _, s := range p.Options().Scenarios {
		n += s.Planned()
	}
	return n
}
