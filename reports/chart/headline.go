package chart

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpstorm/history"
)

// title states what was found. A replay is worse than a failure, so it comes first.
func (m *measures) title() string {
	ops := fmt.Sprintf("%s of %s", thousands(m.ops.failed), count(m.ops.of, "operation"))
	under := m.faults.under()
	switch {
	case m.replayed > 0 && under != "":
		return fmt.Sprintf("%s under %s; %s failed", m.replays(), under, ops)
	case m.replayed > 0:
		return fmt.Sprintf("%s without any fault; %s failed", m.replays(), ops)
	case under == "":
		return fmt.Sprintf("%s failed; no faults were delivered", ops)
	case m.attempts.failed == 0:
		return fmt.Sprintf("%s failed under %s, and no attempt did", ops, under)
	}
	return fmt.Sprintf("Under %s, %s of attempts and %s failed", under, percent(m.attempts.failed, m.attempts.of), ops)
}

// replays says what was replayed: "9 operations were executed twice or more".
func (m *measures) replays() string {
	be := "were"
	if m.replayed == 1 {
		be = "was"
	}
	return count(m.replayed, "operation") + " " + be + " executed twice or more"
}

// under names what the operations were put through: "742 connection cuts". It is
// empty where nothing was delivered.
func (f *faults) under() string {
	switch {
	case f.delivered.n > 0:
		return count(f.delivered.n, f.delivered.noun())
	case len(f.toxics) > 0:
		return list(f.toxics)
	}
	return ""
}

// capital is a text with its first letter large.
func capital(text string) string {
	_, first := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:first]) + text[first:]
}

// subtitle is the method: what ran, how it was counted, and how much there was.
func (m *measures) subtitle() string {
	n := "n = " + count(m.attempts.of, "attempt")
	return dots(armName(m.run, m.arm), count(m.rollouts, "rollout"), m.servers(), m.policy(), eras(m.arm), seconds(m.width)+" bins", n)
}

// armName names the arm where there could be a doubt.
func armName(run *history.Run, arm *history.Arm) string {
	if len(judged(run)) > 1 || arm.Name != mainArm {
		return "arm " + arm.Name
	}
	return ""
}

// commonEra is the version of the protocol that needs no word.
const commonEra = "2025-11-25"

// eras names the versions of the protocol that an arm speaks, unless it is only the
// common one.
func eras(arm *history.Arm) string {
	var names []string
	for _, s := range arm.Servers {
		if s.Era != "" && !slices.Contains(names, s.Era) {
			names = append(names, s.Era)
		}
	}
	if len(names) == 0 || len(names) == 1 && names[0] == commonEra {
		return ""
	}
	slices.Sort(names)
	return "MCP " + list(names)
}

// mainArm is the name of the arm that a script has when it names none.
const mainArm = "main"

func (m *measures) servers() string {
	var names []string
	for _, s := range m.arm.Servers {
		name := s.Name
		if s.Reference != "" && s.Reference != s.Name {
			name += " (" + s.Reference + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func (m *measures) policy() string {
	var servers []string
	var policies []string
	for server, policy := range m.arm.Policies {
		servers = append(servers, server)
		if !slices.Contains(policies, policy) {
			policies = append(policies, policy)
		}
	}
	switch len(policies) {
	case 0:
		return ""
	case 1:
		return "policy " + policies[0]
	}
	slices.Sort(servers)
	for i, server := range servers {
		servers[i] = server + " " + m.arm.Policies[server]
	}
	return "policies " + strings.Join(servers, ", ")
}

// footer is where the numbers come from.
func (m *measures) footer() string {
	counts := fmt.Sprintf("%s, %s, %s, %s", count(m.ops.of, "operation"), count(m.attempts.of, "attempt"),
		count(m.exchanges, "exchange"), count(m.faults.delivered.n, "fault"))
	return footer(m.run, counts)
}

// Provenance says which run a figure's numbers come from: what stands in the footer
// of every figure of a run.
func Provenance(run *history.Run) string { return footer(run, "") }

// footer says which run a figure shows, and how much it rests on.
func footer(run *history.Run, counts string) string {
	f := &run.Manifest
	script := f.Script.Path
	if path.IsAbs(script) { // the folders of one machine say nothing to others
		script = path.Base(script)
	}
	revision := ""
	if f.Revision != "" {
		revision = "revision " + shortRevision(f.Revision)
	}
	state := ""
	if f.State != history.StateFinished {
		state = "not finished"
	}
	return dots("mcpstorm run "+f.ID, state, fmt.Sprintf("seed %d", f.Seed), script, revision, counts)
}

// shortRevision cuts a commit's hash to what names it, and keeps a suffix such as
// "-dirty".
func shortRevision(revision string) string {
	hash, suffix, found := strings.Cut(revision, "-")
	if len(hash) > 10 {
		hash = hash[:10]
	}
	if found {
		hash += "-" + suffix
	}
	return hash
}
