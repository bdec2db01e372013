package engine

import "strings"

// GroupSummary is a group of a script, as its samples have shown it.
type GroupSummary struct {
	// Name is empty for the root, which holds everything outside groups.
	Name string
	// Path is the names from the root, each after "::"; empty for the root.
	Path string
	// Groups and Checks are in the order in which they first ended.
	Groups []*GroupSummary
	Checks []CheckSummary
}

// CheckSummary counts how one check of a group went.
type CheckSummary struct {
	Name, Path    string
	Passes, Fails int64
}

// add counts a sample of a check or of a group's duration.
func (g *GroupSummary) add(s Sample, b *builtins) {
	switch s.Metric {
	case b.checks:
		g.at(s.Tags["group"]).count(s.Tags["check"], s.Value != 0)
	case b.group:
		g.at(s.Tags["group"])
	}
}

// at returns the group of a path, and makes what is missing on the way.
func (g *GroupSummary) at(path string) *GroupSummary {
	if path == "" {
		return g
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, groupSeparator), groupSeparator) {
		g = g.child(name)
	}
	return g
}

func (g *GroupSummary) child(name string) *GroupSummary {
	for _, child := range g.Groups {
		if child.Name == name {
			return child
		}
	}
	child := &GroupSummary{Name: name, Path: g.Path + groupSeparator + name}
	g.Groups = append(g.Groups, child)
	return child
}

func (g *GroupSummary) count(check string, passed bool) {
	for i := range g.Checks {
		if g.Checks[i].Name == check {
			g.Checks[i].count(passed)
			return
		}
	}
	g.Checks = append(g.Checks, CheckSummary{Name: check, Path: g.Path + groupSeparator + check})
	g.Checks[len(g.Checks)-1].count(passed)
}

func (c *CheckSummary) count(passed bool) {
	if passed {
		c.Passes++
	} else {
		c.Fails++
	}
}
