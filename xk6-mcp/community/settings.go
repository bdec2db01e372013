package community

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/grafana/sobek"
)

// defaultTimeout bounds connecting, and each call, of a client that says nothing.
const defaultTimeout = 60 * time.Second

// kind is one of the classes.
type kind struct {
	class string
	keys  []string // what its constructor knows
	needs string   // the key that must be there
}

var (
	stdio      = kind{"StdioClient", []string{"path", "args", "env", "debug", "timeout"}, "path"}
	sse        = kind{"SSEClient", []string{"base_url", "debug", "timeout"}, "base_url"}
	streamable = kind{"StreamableHTTPClient", []string{"base_url", "debug", "timeout"}, "base_url"}

	kinds = []kind{stdio, sse, streamable}
)

// settings are what a client was made with.
type settings struct {
	kind    string // the class
	key     string // equal settings have equal keys
	where   string // the server, in messages
	path    string
	args    []string
	env     []string // NAME=VALUE, added to the environment of this process
	debug   bool
	baseURL string
	timeout time.Duration
}

// rawSettings are settings as a script writes them.
type rawSettings struct {
	Path    string          `json:"path"`
	Args    []string        `json:"args"`
	Env     json.RawMessage `json:"env"`
	Debug   bool            `json:"debug"`
	BaseURL string          `json:"base_url"`
	Timeout json.RawMessage `json:"timeout"`
}

// parseSettings reads a constructor's argument. It refuses what cannot work, and
// keys that it does not know, by name.
func parseSettings(k kind, argument sobek.Value) (*settings, error) {
	var raw rawSettings
	text, err := decodeObject(argument, k.keys, &raw)
	if err != nil {
		return nil, fmt.Errorf("mcp: new %s: %w", k.class, err)
	}
	s := &settings{
		kind: k.class, key: k.class + string(text), path: raw.Path, args: raw.Args, debug: raw.Debug, baseURL: raw.BaseURL,
	}
	if s.timeout, err = parseTimeout(raw.Timeout); err == nil {
		s.env, err = parseEnv(raw.Env)
	}
	if err == nil {
		err = s.check(k)
	}
	if err != nil {
		return nil, fmt.Errorf("mcp: new %s: %w", k.class, err)
	}
	return s, nil
}

// check finds out whether there is a server to be reached at all.
func (s *settings) check(k kind) (err error) {
	switch {
	case s.path == "" && s.baseURL == "":
		return fmt.Errorf("%w: needs {%s}", errArgument, k.needs)
	case k.needs == "path":
		s.where = s.path
		_, err = exec.LookPath(s.path)
	default:
		s.where, err = checkURL(s.baseURL)
	}
	return err
}

// parseTimeout reads a number of milliseconds, or a duration such as "30s".
func parseTimeout(raw json.RawMessage) (time.Duration, error) {
	var text string
	var millis float64
	d := defaultTimeout
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return d, nil
	case json.Unmarshal(raw, &text) == nil:
		d, _ = time.ParseDuration(text) // zero is refused below
	case json.Unmarshal(raw, &millis) == nil:
		d = time.Duration(millis * float64(time.Millisecond))
	default:
		d = 0
	}
	if d <= 0 {
		return 0, fmt.Errorf("%w: timeout is %s, want a number of milliseconds above 0, or a duration such as \"30s\"", errArgument, raw)
	}
	return d, nil
}

// parseEnv reads ["NAME=VALUE"], or {NAME: "VALUE"}.
func parseEnv(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		for _, pair := range list {
			if name, _, ok := strings.Cut(pair, "="); !ok || name == "" {
				return nil, fmt.Errorf("%w: env holds %q, want NAME=VALUE", errArgument, pair)
			}
		}
		return list, nil
	}
	var named map[string]string
	if json.Unmarshal(raw, &named) != nil {
		return nil, fmt.Errorf("%w: env is %s, want a list of \"NAME=VALUE\", or an object of texts", errArgument, raw)
	}
	for name, value := range named {
		list = append(list, name+"="+value)
	}
	sort.Strings(list)
	return list, nil
}

// decodeObject reads an object of a script into a struct, through JSON, which it
// returns. An argument that is left out is an object without keys.
func decodeObject(v sobek.Value, known []string, into any) (json.RawMessage, error) {
	if v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) {
		return nil, nil
	}
	object, ok := v.(*sobek.Object)
	if !ok {
		return nil, fmt.Errorf("%w: got %s, want an object with %s", errArgument, v, strings.Join(known, ", "))
	}
	for _, key := range object.Keys() {
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("%w: unknown key %q; known: %s", errArgument, key, strings.Join(known, ", "))
		}
	}
	text, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errArgument, err)
	}
	return text, nil
}
