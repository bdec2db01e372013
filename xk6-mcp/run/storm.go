package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/near"
	"mcpstorm/internal/wire"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/client"
)

// ErrStorm says that a script's storm export, or an option that overrides it,
// is not what it should be. The text names the thing and the value seen.
var ErrStorm = errors.New("storm")

// Storm is a script's storm export after every override.
type Storm struct {
	Servers []ServerSpec // sorted by name
	Policy  string
	// Faults is the fault plan as written; toxics/plan reads it.
	Faults   json.RawMessage
	Bugs     []string
	Assert   []string
	Restarts xk6mcp.Restarts
	// Era is that of every server that names none, or both; empty is the oldest.
	Era string
	// Reissue is spec or empty: see client.Policy.
	Reissue string
	// Heal is the phase without faults at the end of every arm; nil for none.
	Heal *HealSpec
	// Arms are in order of declaration.
	Arms []ArmSpec
	// NoControl says that the script wants no control arm.
	NoControl bool
}

// ServerSpec is one server under test: a reference server, or the user's own.
type ServerSpec struct {
	Name      string // in the script
	Reference string // usersim, …; empty for the user's own
	URL       string // the user's own; {rollout} in it is replaced
	Policy    string // overrides the run's, when set
	Era       string // one of wire.Eras once the arm is made
	// Forced is true when the policy comes from the command line or from the arm,
	// which both stand above what a script's connect says.
	Forced bool
	// Stateful, TurnLatency and Turns are settings of a reference server.
	Stateful    bool
	TurnLatency time.Duration
	Turns       int
	ToolLatency time.Duration
	// StateLatency and StateFailures are those of usersim's state channel.
	StateLatency  time.Duration
	StateFailures float64
	// Admit is how many requests a reference server takes at once; zero sets no bound.
	Admit     int
	SSE       bool // answer with event streams
	Resumable bool // streams that can be resumed: stateful, with event ids
	// Framing is how the event streams are written.
	Framing wire.SSEFraming
	Isolate bool // run it as a process of its own
	// Durable says whether the state of an isolated server outlives its process; nil:
	// where it has any.
	Durable *bool
	// Tools, SeqArgument and OpArgument describe the user's own server.
	Tools       map[string]history.ReplayClass
	SeqArgument string
	OpArgument  string
	// NonceArgument, Settle and LookUp name an argument and two tools of it.
	NonceArgument, Settle, LookUp string

	// Header is sent with every request. No value of it is ever shown.
	Header http.Header
}

// serverName is what a server may be called: its name becomes that of files.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// holes are the places of a URL that are to be filled in.
var holes = regexp.MustCompile(`\{[^}]*\}`)

var (
	stormKeys  = []string{"servers", "policy", "faults", "bug", "assert", "arms", "restarts", "era", "reissue", "heal"}
	stormLater = []string{"deadline"}
	ownKeys    = []string{"url", "tools", "seqArgument", "opArgument", "nonceArgument", "settle", "lookup", "era", "headers", "policy"}
	refKeys    = []string{"server", "isolate", "durable", "stateful", "turnLatency", "turns", "toolLatency", "stateLatency", "stateFailures", "admit", "sse", "sseLines", "sseLineEnd", "resumable", "era", "headers", "policy"}
	classes    = []string{"read-only", "idempotent", "keyed", "resolvable", "unsafe"}
)

// ParseStorm reads a storm export strictly: an unknown key is an error that
// lists the known ones. Its errors wrap ErrStorm.
func ParseStorm(raw json.RawMessage) (*Storm, error) {
	fields, err := object("storm", raw, stormKeys, stormLater)
	if err != nil {
		return nil, err
	}
	s := &Storm{Policy: "settle", Faults: fields["faults"]}
	if err := errors.Join(
		optional(fields, "storm.policy", "policy", &s.Policy),
		optional(fields, "storm.assert", "assert", &s.Assert),
		s.parseBugs(fields), s.parseEras(fields), s.parseRestarts(fields["restarts"]), s.parseHeal(fields["heal"]), s.parseServers(fields["servers"]), s.parseArms(fields["arms"]),
	); err != nil {
		return nil, err
	}
	return s, s.checkPolicies()
}

func (s *Storm) parseServers(raw json.RawMessage) error {
	servers, err := object("storm.servers", raw, nil, nil)
	if err != nil {
		return err
	}
	for name, spec := range servers {
		if !serverName.MatchString(name) {
			return fmt.Errorf("%w.servers has a server %q: want letters, digits, - and _", ErrStorm, name)
		}
		one, err := parseServer(name, spec)
		if err != nil {
			return err
		}
		s.Servers = append(s.Servers, one)
	}
	if len(s.Servers) == 0 {
		return fmt.Errorf("%w.servers names no server: a run needs at least one", ErrStorm)
	}
	sort.Slice(s.Servers, func(i, j int) bool { return s.Servers[i].Name < s.Servers[j].Name })
	return nil
}

// parseBugs takes one bug's id or a list of them.
func (s *Storm) parseBugs(fields map[string]json.RawMessage) error {
	var one string
	if json.Unmarshal(fields["bug"], &one) == nil && one != "" {
		s.Bugs = strings.Split(one, ",")
		return nil
	}
	return optional(fields, "storm.bug", "bug", &s.Bugs)
}

func (s *Storm) parseRestarts(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	if _, err := object("storm.restarts", raw, []string{"max", "include", "exclude"}, nil); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &s.Restarts); err != nil || s.Restarts.Max < 0 {
		return fmt.Errorf("%w.restarts is %s, want {max: a whole number of 0 or more, include: [names], exclude: [names]}", ErrStorm, raw)
	}
	if name, known := s.Restarts.Check(); name != "" {
		return fmt.Errorf("%w.restarts names %q; known: %s%s", ErrStorm, name, strings.Join(known, ", "), near.Suggestion(name, known))
	}
	return nil
}

// checkPolicies looks every policy up, so that a misspelt one stops the run
// before it starts.
func (s *Storm) checkPolicies() error {
	names := []string{s.Policy}
	for _, server := range s.Servers {
		names = append(names, server.Policy)
	}
	for _, arm := range s.Arms {
		names = append(names, arm.Policy)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if _, err := client.Preset(name); err != nil {
			return fmt.Errorf("%w.policy: %w", ErrStorm, err)
		}
	}
	return nil
}

// Names lists the servers' names, sorted.
func (s *Storm) Names() []string {
	names := make([]string, len(s.Servers))
	for i, server := range s.Servers {
		names[i] = server.Name
	}
	return names
}

// server finds a server by its name in the script, or returns nil.
func (s *Storm) server(name string) *ServerSpec {
	for i := range s.Servers {
		if s.Servers[i].Name == name {
			return &s.Servers[i]
		}
	}
	return nil
}

func parseServer(name string, raw json.RawMessage) (ServerSpec, error) {
	path := "storm.servers." + name
	var reference string
	if json.Unmarshal(raw, &reference) == nil {
		if reference == "" {
			return ServerSpec{}, fmt.Errorf("%w: %s is %s, want the name of a reference server, or an object", ErrStorm, path, raw)
		}
		return ServerSpec{Name: name, Reference: reference}, nil
	}
	fields, err := object(path, raw, slices.Compact(slices.Sorted(slices.Values(slices.Concat(ownKeys, refKeys)))), nil)
	if err != nil {
		return ServerSpec{}, err
	}
	if _, own := fields["url"]; own {
		return parseOwn(name, path, raw)
	}
	return parseReference(name, path, raw)
}

func parseReference(name, path string, raw json.RawMessage) (ServerSpec, error) {
	fields, err := object(path, raw, refKeys, nil)
	if err != nil {
		return ServerSpec{}, err
	}
	spec := ServerSpec{Name: name}
	var latency, toolLatency, stateLatency string
	err = errors.Join(
		optional(fields, path+".server", "server", &spec.Reference),
		optional(fields, path+".stateful", "stateful", &spec.Stateful),
		optional(fields, path+".turns", "turns", &spec.Turns),
		optional(fields, path+".turnLatency", "turnLatency", &latency),
		optional(fields, path+".toolLatency", "toolLatency", &toolLatency),
		optional(fields, path+".stateLatency", "stateLatency", &stateLatency),
		optional(fields, path+".stateFailures", "stateFailures", &spec.StateFailures),
		optional(fields, path+".admit", "admit", &spec.Admit),
		optional(fields, path+".isolate", "isolate", &spec.Isolate),
		optional(fields, path+".durable", "durable", &spec.Durable),
		optional(fields, path+".sse", "sse", &spec.SSE),
		optional(fields, path+".resumable", "resumable", &spec.Resumable),
		optional(fields, path+".sseLines", "sseLines", &spec.Framing.Lines),
		optional(fields, path+".sseLineEnd", "sseLineEnd", &spec.Framing.LineEnd),
		optional(fields, path+".era", "era", &spec.Era),
		parseHeader(path+".headers", fields["headers"], &spec.Header),
		optional(fields, path+".policy", "policy", &spec.Policy),
	)
	if err != nil {
		return ServerSpec{}, err
	}
	if spec.Reference == "" {
		return ServerSpec{}, fmt.Errorf("%w: %s has neither server nor url", ErrStorm, path)
	}
	if err := checkEra(path+".era", spec.Era); err != nil {
		return ServerSpec{}, err
	}
	if spec.Durable != nil && !spec.Isolate {
		return ServerSpec{}, fmt.Errorf("%w: %s.durable is said of a server that is no process of its own, and lives as long as the run: write isolate: true beside it", ErrStorm, path)
	}
	if spec.Turns < 0 {
		return ServerSpec{}, fmt.Errorf("%w: %s.turns is %d, want 0 or more", ErrStorm, path, spec.Turns)
	}
	if err := errors.Join(
		duration(path+".turnLatency", latency, &spec.TurnLatency), duration(path+".toolLatency", toolLatency, &spec.ToolLatency),
		duration(path+".stateLatency", stateLatency, &spec.StateLatency),
	); err != nil {
		return ServerSpec{}, err
	}
	if spec.Admit < 0 {
		return ServerSpec{}, stormError("%s.admit is %d, want 0 or more", path, spec.Admit)
	}
	return spec, spec.checkFraming(path)
}

func parseOwn(name, path string, raw json.RawMessage) (ServerSpec, error) {
	fields, err := object(path, raw, ownKeys, nil)
	if err != nil {
		return ServerSpec{}, err
	}
	spec := ServerSpec{Name: name}
	err = errors.Join(
		optional(fields, path+".url", "url", &spec.URL),
		optional(fields, path+".tools", "tools", &spec.Tools),
		optional(fields, path+".seqArgument", "seqArgument", &spec.SeqArgument),
		optional(fields, path+".opArgument", "opArgument", &spec.OpArgument),
		optional(fields, path+".nonceArgument", "nonceArgument", &spec.NonceArgument),
		optional(fields, path+".settle", "settle", &spec.Settle),
		optional(fields, path+".lookup", "lookup", &spec.LookUp),
		optional(fields, path+".era", "era", &spec.Era),
		parseHeader(path+".headers", fields["headers"], &spec.Header),
		optional(fields, path+".policy", "policy", &spec.Policy),
	)
	if err != nil {
		return ServerSpec{}, err
	}
	for tool, class := range spec.Tools {
		if !slices.Contains(classes, string(class)) {
			return ServerSpec{}, fmt.Errorf("%w: %s.tools.%s is %q; known: %s%s", ErrStorm, path, tool, class, strings.Join(classes, ", "), near.Suggestion(string(class), classes))
		}
	}
	for key, tool := range map[string]string{"settle": spec.Settle, "lookup": spec.LookUp} {
		if tool != "" && spec.OpArgument == "" {
			return ServerSpec{}, stormError("%s.%s is %q, and no opArgument says how it is asked about an operation", path, key, tool)
		}
	}
	if _, turns := spec.Tools["respond"]; turns && spec.SeqArgument == "" {
		spec.SeqArgument = "seq"
	}
	return spec, errors.Join(checkEra(path+".era", spec.Era), checkOwnURL(path, spec.URL))
}

// parseHeader reads what is sent with every request to a server. Its error shows no
// value, for it may be a secret.
func parseHeader(path string, raw json.RawMessage, into *http.Header) error {
	var fields map[string]string
	if len(raw) > 0 && json.Unmarshal(raw, &fields) != nil {
		return stormError("%s is no object of strings", path)
	}
	header, err := client.HeaderOf(fields)
	if err != nil {
		return stormError("%s: %w", path, err)
	}
	*into = header
	return nil
}

// checkOwnURL keeps a storm on this machine.
func checkOwnURL(path, raw string) error {
	if hole := holes.FindString(strings.ReplaceAll(raw, "{rollout}", "")); hole != "" {
		return fmt.Errorf("%w: %s.url holds %s; known: {rollout}", ErrStorm, path, hole)
	}
	u, err := url.Parse(raw)
	switch {
	case err == nil && u.Hostname() != "" && !onLoopback(u.Hostname()):
		return fmt.Errorf("%w: %s.url is %q: only loopback addresses are driven, and --allow-remote is not supported yet", ErrStorm, path, raw)
	case err != nil || u.Scheme != "http" || u.Port() == "":
		return fmt.Errorf("%w: %s.url is %q, want http://HOST:PORT/PATH", ErrStorm, path, raw)
	}
	return nil
}

// onLoopback reports whether a host of a URL is this machine. No name but localhost is
// looked up.
func onLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
