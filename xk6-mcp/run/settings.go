package run

import (
	"slices"
	"time"

	"mcpstorm/reference-servers/all"
)

const turnLatency = "turnLatency"

// givenSettings are the settings given that not every reference server reads; which do, its
// kind says.
func (s ServerSpec) givenSettings() (given []string) {
	for _, one := range []struct {
		name  string
		given bool
	}{
		{"turns", s.Turns != 0},
		{turnLatency, s.TurnLatency != 0},
		{"toolLatency", s.ToolLatency != 0},
		{"stateLatency", s.StateLatency != 0},
		{"stateFailures", s.StateFailures != 0},
	} {
		if one.given {
			given = append(given, one.name)
		}
	}
	return given
}

// checkSettings refuses a setting that the reference server does not read, and a share
// of failures that is none.
func (s ServerSpec) checkSettings() error {
	read := settingsOf(s.Reference)
	for _, name := range s.givenSettings() {
		if !slices.Contains(read, name) {
			return stormError("servers.%s.%s: %s does not read it; known: %s", s.Name, name, s.Reference, joined(read))
		}
	}
	if !(s.StateFailures >= 0 && s.StateFailures <= 1) {
		return stormError("servers.%s.stateFailures is %v, want a share from 0 to 1", s.Name, s.StateFailures)
	}
	return nil
}

// settingsOf are the settings that a reference server reads beside those that all do. One
// that is not known, which is refused elsewhere, reads none.
func settingsOf(reference string) []string {
	kind, _ := all.Servers().Lookup(reference)
	return kind.Settings
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
		if slices.Contains(settingsOf(s.Servers[i].Reference), turnLatency) {
			s.Servers[i].TurnLatency, found = *latency, true
		}
	}
	if !found {
		return stormError("--turn-latency %v: no server of this script takes turns", *latency)
	}
	return nil
}
