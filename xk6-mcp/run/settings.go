package run

import (
	"slices"
	"time"
)

// setting is one that only some reference servers read.
type setting struct {
	key   string // of the script
	given func(ServerSpec) bool
	by    []string // the reference servers that read it
}

var settings = []setting{
	{"turns", func(s ServerSpec) bool { return s.Turns != 0 }, []string{"usersim"}},
	{turnLatency, func(s ServerSpec) bool { return s.TurnLatency != 0 }, []string{"usersim"}},
	{"stateLatency", func(s ServerSpec) bool { return s.StateLatency != 0 }, []string{"usersim"}},
	{"stateFailures", func(s ServerSpec) bool { return s.StateFailures != 0 }, []string{"usersim"}},
	{"toolLatency", func(s ServerSpec) bool { return s.ToolLatency != 0 }, []string{"ledger", "wiki"}},
}

const turnLatency = "turnLatency"

// checkSettings refuses a setting that the reference server does not read, and a share
// of failures that is none.
func (s ServerSpec) checkSettings() error {
	for _, one := range settings {
		if one.given(s) && !slices.Contains(one.by, s.Reference) {
			return stormError("servers.%s.%s: %s does not read it; known: %s", s.Name, one.key, s.Reference, joined(keysOf(s.Reference)))
		}
	}
	if !(s.StateFailures >= 0 && s.StateFailures <= 1) {
		return stormError("servers.%s.stateFailures is %v, want a share from 0 to 1", s.Name, s.StateFailures)
	}
	return nil
}

// keysOf are the settings that a reference server reads beside those that all do.
func keysOf(reference string) (keys []string) {
	for _, one := range settings {
		if slices.Contains(one.by, reference) {
			keys = append(keys, one.key)
		}
	}
	return keys
}

// applyLatency puts the command line's turn latency over the script's, in every server
// that has one.
func (s *Storm) applyLatency(latency *time.Duration) error {
	if latency == nil {
		return nil
	}
	if *latency < 0 {
		return stormError("--turn-latency %v: want a duration of zero or more", *latency)
	}
	found := false
	for i := range s.Servers {
		if slices.Contains(keysOf(s.Servers[i].Reference), turnLatency) {
			s.Servers[i].TurnLatency, found = *latency, true
		}
	}
	if !found {
		return stormError("--turn-latency %v: no server of this script takes turns", *latency)
	}
	return nil
}
