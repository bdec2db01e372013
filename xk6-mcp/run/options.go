package run

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/near"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/engine"
)

// Options are the settings of one run.
type Options struct {
	// Script is the scenario script: a file, or the name of one that comes with
	// mcpstorm, such as scenarios/user-turns.js.
	Script string
	// Dir is the run directory; empty means runs/<UTC time>-<id>.
	Dir  string
	Seed seed.Root
	// VUs overrides the virtual users of every scenario; zero does not.
	VUs int
	// Below and Above are sources of the script's options that are weaker and
	// stronger than what it exports itself: a configuration file on the one side, the
	// environment and a command line's flags on the other, the strongest last.
	Below, Above []engine.Layer
	// Scenarios are the names of those of the script's scenarios that are to run;
	// nil means all.
	Scenarios []string
	// Policies override the script's: NAME for every server, or SERVER=NAME.
	Policies []string
	// Era overrides that of every server: one of wire.Eras, or both, which runs every
	// arm once in each. Empty does not.
	Era string
	// Reissue is spec where clients of the stateless era send a call again whose
	// answer broke; empty leaves that to the script.
	Reissue string
	// Faults is a fault plan that takes the place of the script's in every arm but
	// control, in the form of storm.faults; nil for none.
	Faults json.RawMessage
	// Only are the tasks that are to run, such as t000017; empty means all. They keep
	// their faults and their turns.
	Only []string
	// onlyArm is the one arm that is to run; empty means all.
	onlyArm string
	// crowded says that other runs go on in this process: from what it holds nothing
	// can be told, and nothing is waited for.
	crowded bool
	// Bugs are the ids of the bugs to plant.
	Bugs []string
	// TurnLatency overrides how long a user simulator thinks; nil does not.
	TurnLatency *time.Duration
	// Known is the file of known failures; empty means known-failures.yaml beside the
	// script, where there is one.
	Known string
	// Env is the script's __ENV.
	Env map[string]string
	// Recorded is called once when the last rollout has ended: what follows is judging,
	// which goes on though the run is stopped then. Nil for nothing.
	Recorded func()
	// Console takes what the script prints as plain text; nil drops it. Print takes
	// the lines instead, when it is set.
	Console io.Writer
	Print   func(engine.ConsoleLine)
	// Warn takes what is put aside of the options, before anything starts; nil drops
	// it.
	Warn     func(string)
	Progress *Progress // nil shows none
	// Clock is the time of the whole run; nil means the system's.
	Clock clock.Clock
	// Version and Revision say what was built, for the manifest.
	Version, Revision string
	// Out are the outputs of samples and operations beside the history: NAME or
	// NAME=TARGET, as package output reads them.
	Out []string
	// Announce takes a line for each of Out that says where it leads; nil drops it.
	Announce func(line string)
	// Breakdown has the summary tell scenarios and groups apart.
	Breakdown bool
	// NoSummary leaves the script's handleSummary out.
	NoSummary bool
	// AllowEmptyThresholds lets a threshold pass whose metric never got a sample, as
	// k6 does.
	AllowEmptyThresholds bool
	// NoCharts leaves the pictures of the run out; mcpstorm report draws them later.
	NoCharts bool
	// ToxiproxyAPI is a loopback address, HOST:PORT, where toxiproxy's HTTP API drives
	// the toxics of every arm but control while it runs; empty serves none.
	ToxiproxyAPI string
	// BypassFaults sends the clients past the fault layer. It is a hook for the
	// test that a harness without faults does not pass.
	BypassFaults bool
	// NoHostProbe leaves out the question whether the host was the limit, which the
	// verdict then calls not evaluated. It is for tests on a machine that is shared.
	NoHostProbe bool
	// OpenFile makes the files of the history; nil makes plain ones. It is a hook
	// for the test of a full disk.
	OpenFile func(path string) (io.WriteCloser, error)
}

// above are the sources of options over the script's.
func (o Options) above() []engine.Layer {
	if o.VUs == 0 {
		return o.Above
	}
	vus := strconv.Itoa(o.VUs)
	return append(slices.Clone(o.Above), engine.Layer{{Option: "vus", Value: json.RawMessage(vus), Source: "--vus " + vus}})
}

// runsDir is where runs go that were given no folder of their own. The file
// latest in it names the newest.
const runsDir = "runs"

// runDir is where the history goes.
func (o Options) runDir(now time.Time) string {
	if o.Dir != "" {
		return o.Dir
	}
	id := seed.Root(now.UnixNano()).Hex(6, "run")
	return filepath.Join(runsDir, now.UTC().Format("20060102T150405Z")+"-"+id)
}

// applyPolicies puts the command line's policies over the script's.
func (s *Storm) applyPolicies(policies []string) error {
	for _, arm := range s.Arms {
		if arm.Policy != "" && len(policies) > 0 {
			return fmt.Errorf("--policy %s: arm %s of the script has a policy of its own, %s, and the arms are there to be compared", policies[0], arm.Name, arm.Policy)
		}
	}
	all := ""
	for _, given := range policies {
		name, policy, forOne := strings.Cut(given, "=")
		if !forOne {
			name, policy = "", given
		}
		if _, err := client.Preset(policy); err != nil {
			return fmt.Errorf("--policy %s: %w", given, err)
		}
		if !forOne && all != "" {
			return fmt.Errorf("--policy %s: every server has --policy %s already; name one server: SERVER=%s", given, all, policy)
		}
		if !forOne {
			all = policy
			s.force(policy)
			continue
		}
		server := s.server(name)
		if server == nil {
			return fmt.Errorf("--policy %s: %w has no server %q; it has: %s%s", given, ErrStorm, name, strings.Join(s.Names(), ", "), near.Suggestion(name, s.Names()))
		}
		server.Policy, server.Forced = policy, true
	}
	return nil
}

// force sets one policy for every server that has none of its own by force.
func (s *Storm) force(policy string) {
	s.Policy = policy
	for i := range s.Servers {
		if !s.Servers[i].Forced {
			s.Servers[i].Policy, s.Servers[i].Forced = policy, true
		}
	}
}
