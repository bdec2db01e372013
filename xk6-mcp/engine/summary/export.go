package summary

import (
	"encoding/json"
	"strings"

	"mcpstorm/xk6-mcp/engine"
)

// exported is the flat form of a summary.
type exported struct {
	RootGroup exportedGroup             `json:"root_group"`
	Metrics   map[string]map[string]any `json:"metrics"`
}

type exportedGroup struct {
	Name   string          `json:"name"`
	Path   string          `json:"path"`
	Groups []exportedGroup `json:"groups"`
	Checks []exportedCheck `json:"checks"`
}

type exportedCheck struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Passes int64  `json:"passes"`
	Fails  int64  `json:"fails"`
}

// Export is a run's summary as the flat JSON of k6's --summary-export: the values
// of a metric stand directly under its name, a rate's under value instead of rate,
// and a threshold is true where it failed.
func Export(r *engine.Result) ([]byte, error) {
	e := exported{RootGroup: groupOf(r.Root), Metrics: make(map[string]map[string]any)}
	for _, m := range r.Metrics {
		values := e.metric(m.Name)
		for name, value := range m.Values {
			if m.Type == engine.Rate && name == "rate" {
				name = "value"
			}
			values[name] = value
		}
	}
	for _, t := range r.Thresholds {
		metric := e.metric(t.Metric)
		failed, ok := metric["thresholds"].(map[string]bool)
		if !ok {
			failed = make(map[string]bool)
			metric["thresholds"] = failed
		}
		failed[t.Expr] = !t.OK
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // a condition stays readable
	encoder.SetIndent("", "    ")
	if err := encoder.Encode(e); err != nil {
		return nil, err
	}
	return []byte(out.String()), nil
}

// metric is the entry of a metric, made if it is not there.
func (e exported) metric(name string) map[string]any {
	if e.Metrics[name] == nil {
		e.Metrics[name] = make(map[string]any)
	}
	return e.Metrics[name]
}

func groupOf(g *engine.GroupSummary) exportedGroup {
	group := exportedGroup{Groups: []exportedGroup{}, Checks: []exportedCheck{}}
	if g == nil {
		return group
	}
	group.Name, group.Path = g.Name, g.Path
	for _, child := range g.Groups {
		group.Groups = append(group.Groups, groupOf(child))
	}
	for _, check := range g.Checks {
		group.Checks = append(group.Checks, exportedCheck(check))
	}
	return group
}
