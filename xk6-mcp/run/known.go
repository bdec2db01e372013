package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/near"
	"mcpstorm/internal/wire"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reports"
	"mcpstorm/reports/check"
	"mcpstorm/xk6-mcp/client"
)

// knownFailures reads the list of known failures that was named, or else the one that
// stands beside the script, for a run with these arms. None is an empty list.
func (o Options) knownFailures(arms []string) ([]history.KnownFailure, error) {
	path := o.Known
	if path == "" {
		path = filepath.Join(filepath.Dir(o.Script), reports.KnownFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return KnownFailures(path, o.Script, arms)
}

// KnownFailures reads a list of known failures with which a run of a script is to be
// judged. It refuses what reports.ReadKnown does, and an entry that can excuse nothing:
// whose policy or bug no run can have, or whose arm the script does not have. An entry that
// names no script may be about another's arm, unless that is nearly one of these.
// Its errors wrap reports.ErrKnown.
func KnownFailures(path, script string, arms []string) ([]history.KnownFailure, error) {
	list, err := reports.ReadKnown(path)
	if err != nil {
		return nil, err
	}
	for _, entry := range list {
		if err := errors.Join(knownPolicy(entry.Policy), knownBug(entry.Bug), knownArm(entry, script, arms)); err != nil {
			return nil, fmt.Errorf("%w: %s: the entry about %s: %w", reports.ErrKnown, path, entry.Invariant, err)
		}
	}
	return list, nil
}

// knownPolicy looks up the policy of an entry, or those of SERVER=NAME, SERVER=NAME.
func knownPolicy(policy string) error {
	if policy == "" {
		return nil
	}
	for one := range strings.SplitSeq(policy, ",") {
		_, name, forOne := strings.Cut(one, "=")
		if !forOne {
			name = one
		}
		if _, err := client.Preset(strings.TrimSpace(name)); err != nil {
			return err
		}
	}
	return nil
}

// knownBug looks up the bug of an entry in every reference server.
func knownBug(bug string) error {
	var ids []string
	for _, kind := range all.Servers() {
		ids = append(ids, kind.BugIDs()...)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); bug == "" || slices.Contains(ids, bug) {
		return nil
	}
	return fmt.Errorf("there is no bug %q; known: %s%s", bug, joined(ids), near.SuggestionAfter("FM-", bug, ids))
}

// knownArm looks up the arm of an entry among those of a run. A list serves every run of
// the script: an arm may have an era behind its name in one and none in another.
func knownArm(entry history.KnownFailure, script string, arms []string) error {
	own := entry.Script != "" && check.SameScript(entry.Script, script)
	name, era, inEra := strings.Cut(entry.Arm, "@")
	if entry.Arm == "" || len(arms) == 0 || entry.Script != "" && !own {
		return nil
	}
	if inEra && (own || hasArm(arms, name)) && !slices.Contains(wire.Eras(), era) {
		return fmt.Errorf("there is no era %q; known: %s%s", era, joined(wire.Eras()), near.Suggestion(era, wire.Eras()))
	}
	if hasArm(arms, name) || !own && near.Nearest(entry.Arm, arms) == "" {
		return nil
	}
	hint := near.Suggestion(entry.Arm, arms)
	if !own {
		hint += " Else name the script that the entry is about."
	}
	return fmt.Errorf("%s has no arm %q; it has: %s%s", script, entry.Arm, joined(arms), hint)
}

// hasArm reports whether an arm has this name, whatever its era.
func hasArm(arms []string, name string) bool {
	return slices.ContainsFunc(arms, func(arm string) bool {
		of, _, _ := strings.Cut(arm, "@")
		return of == name
	})
}

// armNames are those of a storm; none of a plain script.
func (s *Storm) armNames() (names []string) {
	if s == nil {
		return nil
	}
	for _, arm := range s.Arms {
		names = append(names, arm.Name)
	}
	return names
}
