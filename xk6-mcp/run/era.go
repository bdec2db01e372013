package run

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpstorm/internal/near"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

const (
	// eraBoth runs every arm once in each era, as main@2025-11-25 and so on: each
	// has servers, faults and a control arm of its own era, and is judged by itself.
	eraBoth = "both"
	// reissueSpec lets clients of the stateless era send a call again whose answer
	// broke, as its changelog asks.
	reissueSpec = "spec"
)

// parseEras reads what the storm says about eras as a whole.
func (s *Storm) parseEras(fields map[string]json.RawMessage) error {
	var era string
	if err := optional(fields, "storm.era", "era", &era); err != nil {
		return err
	}
	if err := checkEra("storm.era", era, eraBoth); err != nil {
		return err
	}
	s.Era = era
	if err := optional(fields, "storm.reissue", "reissue", &s.Reissue); err != nil {
		return err
	}
	return checkReissue("storm.reissue", s.Reissue)
}

// checkEra refuses what is no era. Empty leaves the choice to others.
func checkEra(what, era string, also ...string) error {
	known := append(wire.Eras(), also...)
	if era == "" || slices.Contains(known, era) {
		return nil
	}
	return stormError("%s is %q; known: %s%s", what, era, joined(known), near.Suggestion(era, known))
}

func checkReissue(what, value string) error {
	if value == "" || value == reissueSpec {
		return nil
	}
	return stormError("%s is %q; known: %s", what, value, reissueSpec)
}

// applyEra puts the command line's era over the script's, and makes two arms of
// each where both eras are wanted.
func (s *Storm) applyEra(era string) error {
	if err := checkEra("--era", era, eraBoth); err != nil {
		return err
	}
	for _, arm := range s.Arms {
		if arm.Era != "" && era != "" {
			return stormError("--era %s: arm %s of the script has an era of its own, %s, and the arms are there to be compared", era, arm.Name, arm.Era)
		}
	}
	if era != "" {
		s.Era = era
		for i := range s.Servers {
			s.Servers[i].Era = ""
		}
	}
	if s.Era == eraBoth {
		s.Arms = inEachEra(s.Arms)
	}
	return nil
}

// inEachEra makes an arm of each era out of every arm that has none of its own. The
// control arms stay in front.
func inEachEra(arms []ArmSpec) (all []ArmSpec) {
	for _, arm := range arms {
		if arm.Era != "" {
			all = append(all, arm)
			continue
		}
		for _, era := range wire.Eras() {
			one := arm
			one.Name, one.Era = arm.Name+"@"+era, era
			all = append(all, one)
		}
	}
	return all
}

// setEra settles the era of every server as one arm sees it: the arm's, else the
// server's own, else the storm's, else the oldest.
func (s *Storm) setEra(arm ArmSpec) {
	common := s.Era
	if common == eraBoth {
		common = "" // every arm that has none of its own was given one
	}
	for i := range s.Servers {
		s.Servers[i].Era = firstOf(arm.Era, s.Servers[i].Era, common, wire.EraSessions)
	}
}

// applyReissue puts the command line's word over the script's.
func (s *Storm) applyReissue(value string) error {
	if value != "" {
		s.Reissue = value
	}
	return checkReissue("--reissue", value)
}

// preset is a policy by its name, with what the storm asks of every one.
func (s *Storm) preset(name string) (client.Policy, error) {
	policy, err := client.Preset(name)
	if err == nil && s.Reissue == reissueSpec {
		policy = policy.WithReissue()
	}
	return policy, err
}

// checkEras refuses settings of a server that its era has no room for.
func (s *Storm) checkEras() error {
	for _, server := range s.Servers {
		held := "stateful"
		if server.Resumable {
			held = "resumable"
		}
		if server.Era == wire.EraStateless && (server.Stateful || server.Resumable) {
			return fmt.Errorf("%w: servers.%s is %s, and the era %s has no sessions", ErrStorm, server.Name, held, server.Era)
		}
	}
	return nil
}

// eras lists the eras that the arms speak, the oldest first.
func (r *run) eras() []string {
	return slices.DeleteFunc(wire.Eras(), func(era string) bool {
		return !slices.ContainsFunc(r.arms, func(a *arm) bool {
			return slices.ContainsFunc(a.storm.Servers, func(s ServerSpec) bool { return s.Era == era })
		})
	})
}
