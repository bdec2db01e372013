package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/engine"
)

// errScriptChanged says that a stored run cannot be made again.
var errScriptChanged = errors.New("it is not the script of that run any more")

// overrides are what the options put over the script, or nil.
func (o Options) overrides() *history.Overrides {
	over := history.Overrides{
		Scenarios: o.Scenarios, Policies: o.Policies, Era: o.Era, Reissue: o.Reissue, Bugs: o.Bugs, Faults: o.Faults, Only: o.Only,
	}
	for _, layer := range o.above() {
		for _, setting := range layer {
			over.Flags = append(over.Flags, setting.Source)
		}
	}
	if o.TurnLatency != nil {
		over.Latency = o.TurnLatency.String()
	}
	if reflect.ValueOf(over).IsZero() {
		return nil
	}
	return &over
}

// optionsOf are the options with which a stored run can be made again. Its load is
// taken as it was resolved then.
func optionsOf(m *history.Manifest) (Options, error) {
	o := Options{Script: m.Script.Path, Seed: seed.Root(m.Seed)}
	var resolved struct {
		Scenarios json.RawMessage `json:"scenarios"`
	}
	if err := json.Unmarshal(m.Options, &resolved); err != nil {
		return o, fmt.Errorf("the options in the manifest: %w", err)
	}
	if resolved.Scenarios != nil {
		o.Above = []engine.Layer{{{Option: "scenarios", Value: resolved.Scenarios, Source: "the manifest"}}}
	}
	if over := m.Overrides; over != nil {
		o.Policies, o.Era, o.Reissue, o.Bugs, o.Faults = over.Policies, over.Era, over.Reissue, over.Bugs, over.Faults
		if over.Latency != "" {
			latency, err := time.ParseDuration(over.Latency)
			if err != nil {
				return o, fmt.Errorf("the turn latency in the manifest: %w", err)
			}
			o.TurnLatency = &latency
		}
	}
	return o, nil
}

// arguments are the options of a stored run as run's command line takes them.
func arguments(m *history.Manifest) []string { return m.Arguments() }
