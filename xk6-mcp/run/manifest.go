package run

import (
	"encoding/json"
	"net/url"
	"os"
	"runtime"

	"mcpstorm/history"
	"mcpstorm/internal/process"
	"mcpstorm/reports/check"
	"mcpstorm/xk6-mcp/client"
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
		Options: options, Storm: storm, Overrides: r.options.overrides(),
		Version: r.options.Version, Revision: r.options.Revision, Go: runtime.Version(),
		Host: host(), Wall: r.base.Wall().UTC(), Eras: r.eras(), Reissue: r.storm.Reissue,
		Arms: r.manifestArms(), NoControl: r.storm.NoControl || r.options.onlyArm != "", Assert: r.assert(), Named: r.storm.Assert, Known: r.known, Notes: r.notes(),
	}, nil
}

func host() history.Host {
	return history.Host{
		CPUs: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, NoFile: process.DescriptorLimit(),
		GoDebug: os.Getenv("GODEBUG"), McpGo: os.Getenv("MCPGODEBUG"),
	}
}

func (r *run) manifestArms() (arms []history.Arm) {
	for _, a := range r.arms {
		arms = append(arms, a.manifest())
	}
	return arms
}

// manifest is what is known of the arm: all of it once it has run.
func (a *arm) manifest() history.Arm {
	m := history.Arm{
		Name: a.spec.Name, Control: a.spec.Control(), Judge: a.spec.Judge, Policies: map[string]string{}, Bugs: a.storm.Bugs,
		Start: a.start, End: a.end, Lateness: a.lateness, DialErrors: a.dialErrors, AcceptErrors: a.refused, Untracked: a.untracked,
	}
	m.Heal, m.Sweep = a.heal, a.plan.Sweep()
	if a.end > 0 {
		m.Stalls = &a.used.stalls
	}
	for _, spec := range a.storm.Servers {
		m.Policies[spec.Name] = firstOf(spec.Policy, a.storm.Policy)
		m.Servers = append(m.Servers, a.manifestServer(spec))
	}
	for _, s := range a.parent.scenarios() {
		m.Scenarios = append(m.Scenarios, history.Scenario{
			Name: s.Name, Executor: s.Executor, VUs: s.VUs, Planned: s.Planned(), Block: a.blocks[s.Name],
		})
	}
	return m
}

func (a *arm) manifestServer(spec ServerSpec) history.Server {
	server := history.Server{
		Name: spec.Name, Reference: spec.Reference, URL: redactURL(spec.URL), Era: spec.Era,
		SeqArgument: spec.SeqArgument, OpArgument: spec.OpArgument, About: spec.about(),
		NonceArgument: spec.NonceArgument, Classes: spec.Tools, Died: a.died(spec.Name),
	}
	if kind, ok := a.kinds[spec.Name]; ok {
		server.Effects, server.Classes, server.NonceArgument = true, kind.ClassesWith(a.storm.Bugs), kind.NonceArgument
		server.SeqArgument, server.OpArgument, server.About = kind.Keys.SeqArgument, kind.Keys.OpArgument, kind.Keys.About
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
	for _, a := range r.arms {
		for _, rule := range a.plan.Rules() {
			if rule.NotSeeded() {
				notes = append(notes, a.spec.Name+": "+rule.ID+" is not seeded: toxicity or jitter draw from a global source")
			}
		}
	}
	notes = append(notes, r.idleBugs()...)
	if r.options.ToxiproxyAPI != "" {
		notes = append(notes, "toxics could be changed over toxiproxy's HTTP API: no seed repeats what was done there")
	}
	if r.options.BypassFaults {
		notes = append(notes, "the fault layer was bypassed")
	}
	return notes
}

// redactURL puts a digest in the place of what a URL may hold in secret: its user
// and the values of its query.
func redactURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return client.Redacted(raw)
	}
	if u.User != nil {
		u.User = url.User(client.Redacted(u.User.String()))
	}
	query := u.Query()
	for name, values := range query {
		for i, value := range values {
			query[name][i] = client.Redacted(value)
		}
	}
	u.RawQuery = query.Encode()
	text, err := url.PathUnescape(u.String()) // {rollout} stays as it was written
	if err != nil {
		return u.String()
	}
	return text
}

// redactStorm puts a digest in the place of every credential in the servers'
// headers and URLs.
func redactStorm(raw json.RawMessage) (json.RawMessage, error) {
	var storm map[string]any
	if err := json.Unmarshal(raw, &storm); err != nil {
		return nil, err
	}
	servers, _ := storm["servers"].(map[string]any)
	for _, server := range servers {
		spec, _ := server.(map[string]any)
		if raw, ok := spec["url"].(string); ok {
			spec["url"] = redactURL(raw)
		}
		headers, _ := spec["headers"].(map[string]any)
		for name, value := range headers {
			if text, ok := value.(string); ok && client.IsCredential(name) {
				headers[name] = client.Redacted(text)
			}
		}
	}
	return json.Marshal(storm)
}
