package summary

import (
	"maps"
	"slices"

	"mcpstorm/xk6-mcp/engine"
)

// mostParts bounds the scenarios and groups that a breakdown tells apart.
const mostParts = 200

// Breakdown aggregates samples by scenario and by group. It belongs to one
// goroutine, and is not asked before the last sample has come.
type Breakdown struct {
	scenarios, groups map[string]part
	skipped           int64
}

// part is the metrics of one scenario or group.
type part map[*engine.Metric]*engine.Tally

// NewBreakdown makes an empty breakdown.
func NewBreakdown() *Breakdown {
	return &Breakdown{scenarios: make(map[string]part), groups: make(map[string]part)}
}

// Sample takes in one sample, which counts for its scenario and for the group in
// which it was made.
func (b *Breakdown) Sample(s engine.Sample) {
	b.add(b.scenarios, s.Tags["scenario"], s)
	b.add(b.groups, s.Tags["group"], s)
}

func (b *Breakdown) add(parts map[string]part, name string, s engine.Sample) {
	if name == "" {
		return
	}
	one := parts[name]
	if one == nil {
		if len(parts) >= mostParts {
			b.skipped++
			return
		}
		one = make(part)
		parts[name] = one
	}
	tally := one[s.Metric]
	if tally == nil {
		tally = engine.NewTally(s.Metric)
		one[s.Metric] = tally
	}
	tally.Add(s.Value)
}

// section is one part as it is printed.
type section struct {
	title   string
	group   *engine.GroupSummary // nil for a scenario
	metrics []engine.MetricSummary
}

// parts are the scenarios in the order of declaration, and then the groups by path.
func (b *Breakdown) parts(r Report) (list []section) {
	for _, s := range r.Result.Scenarios {
		if one := b.scenarios[s.Name]; one != nil {
			list = append(list, section{"SCENARIO: " + Printable(s.Name), nil, one.summaries(r)})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.groups)) {
		list = append(list, section{"GROUP: " + Printable(path), groupAt(r.Result.Root, path), b.groups[path].summaries(r)})
	}
	return list
}

func (p part) summaries(r Report) []engine.MetricSummary {
	var list []engine.MetricSummary
	for _, tally := range p {
		list = append(list, tally.Summary(r.TrendStats, r.Result.Duration))
	}
	slices.SortFunc(list, byName)
	return list
}

// groupAt finds a group of the tree by its path.
func groupAt(g *engine.GroupSummary, path string) *engine.GroupSummary {
	if g == nil || g.Path == path {
		return g
	}
	for _, child := range g.Groups {
		if found := groupAt(child, path); found != nil {
			return found
		}
	}
	return nil
}
