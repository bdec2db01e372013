package reports

import (
	"fmt"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// placedToxics names the toxics of the judged arms, each with the number of connections
// that it was on, in order of appearance.
func placedToxics(run *history.Run) []string {
	type connection struct {
		arm, server string
		conn        int64
	}
	judges := map[string]bool{}
	for _, arm := range judged(run.Manifest.Arms) {
		judges[arm.Name] = true
	}
	var names []string
	on := map[string]map[connection]bool{}
	for _, f := range run.Faults {
		if f.State != history.FaultInstalled || !judges[f.Arm] {
			continue
		}
		if on[f.Toxic] == nil {
			names, on[f.Toxic] = append(names, f.Toxic), map[connection]bool{}
		}
		on[f.Toxic][connection{f.Arm, f.Server, f.Conn}] = true
	}
	var texts []string
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%s on %s", safe.Text(name), counted(len(on[name]), "connection")))
	}
	return texts
}

// faultsText counts the faults by what became of them, and names the toxics, which leave
// no receipt of what they did.
func faultsText(c history.Counts, placed []string) []string {
	var lines []string
	cuts := c.Faults[history.FaultDelivered] + c.Faults[history.FaultMissed] + c.Faults[history.FaultUnarmed]
	installed := c.Faults[history.FaultInstalled]
	if cuts > 0 || installed == 0 {
		lines = append(lines, total(c.Faults, history.FaultDelivered, history.FaultMissed, history.FaultUnarmed))
	}
	if installed > 0 {
		where := strings.Join(placed, ", ")
		if where == "" {
			where = "on " + counted(installed, "connection")
		}
		lines = append(lines, "toxics: "+where+"; what they did there is not recorded, so none counts as delivered")
	}
	return lines
}

// unfaulted reports whether no fault was planned in any judged arm, and none came
// otherwise: what such a run shows says nothing of faults.
func unfaulted(v history.Verdict, run *history.Run) bool {
	for _, n := range v.Counts.Faults {
		if n > 0 {
			return false
		}
	}
	for _, arm := range judged(run.Manifest.Arms) {
		if len(rulesOf(run.Plan, arm)) > 0 {
			return false
		}
	}
	return true
}

// unfaultedText stands behind a pass that no fault put to the test.
func unfaultedText(v history.Verdict, run *history.Run) string {
	if v.Status != history.Pass || !unfaulted(v, run) {
		return ""
	}
	return ", with no fault planned"
}
