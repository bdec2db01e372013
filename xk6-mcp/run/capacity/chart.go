package capacity

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strings"

	"mcpstorm/reports/chart"
)

// Draw draws the curves of a search into its folder, by its first objective, and
// returns the paths of what it wrote.
func (r *Result) Draw(dir string) ([]string, error) {
	objective, err := ParseObjective(r.Key.Objectives[0])
	if err != nil {
		return nil, err
	}
	var curves []chart.CapacityCurve
	rollouts, fewest, most := 0, math.MaxInt, 0
	for _, c := range r.Curves {
		curve := chart.CapacityCurve{Name: c.Policy, Capacity: c.Capacity, Beyond: c.Beyond}
		for _, l := range c.Levels {
			reading := l.Readings[0]
			curve.Levels = append(curve.Levels, chart.CapacityLevel{
				Concurrency: l.Concurrency, Value: reading.Value, Low: reading.Low, High: reading.upper(),
			})
			rollouts += l.Rollouts
			fewest, most = min(fewest, l.Rollouts), max(most, l.Rollouts)
		}
		curves = append(curves, curve)
	}
	o := chart.CapacityOptions{
		Objective: objective.Text, Bound: objective.Bound, Seconds: objective.Rate == "", Measured: objective.title(),
		Method: method(objective, fewest, most, r.Key.Objectives[1:]), Provenance: r.provenance(rollouts),
	}
	return chart.WriteCapacity(curves, o, dir)
}

// title is what an axis of the objective shows.
func (o Objective) title() string {
	switch {
	case o.Rate == "failed":
		return "Failed rollouts"
	case o.Rate != "":
		return strings.ToUpper(o.Rate[:1]) + o.Rate[1:]
	}
	return fmt.Sprintf("%s, p%g", o.Metric, 100*o.Q)
}

func method(o Objective, fewest, most int, others []string) string {
	each := fmt.Sprint(fewest)
	if most != fewest {
		each += fmt.Sprintf(" to %d", most)
	}
	text := fmt.Sprintf("%s, by concurrency · %s rollouts a point · bands are 95%% intervals · one fault plan", o.title(), each)
	if len(others) > 0 {
		text += " · also " + strings.Join(others, ", ")
	}
	return text
}

func (r *Result) provenance(rollouts int) string {
	script := r.Key.Script
	if filepath.IsAbs(script) { // the folders of one machine say nothing to others
		script = path.Base(filepath.ToSlash(script))
	}
	text := fmt.Sprintf("mcpstorm capacity · seed %d · %s", r.Key.Seed, script)
	if r.Revision != "" {
		text += " · commit " + r.Revision
	}
	return text + fmt.Sprintf(" · %d rollouts", rollouts)
}
