package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/reports/stats"
)

// Measure measures a stored run, and judges it on the way. The error is that of a
// plan which cannot be encoded.
func Measure(run *history.Run) (*Measured, error) {
	verdict := check.Evaluate(run, check.Options{})
	f := &run.Manifest
	m := &Measured{
		Schema: Schema, Run: f.ID, Script: f.Script.Path, Digest: f.Script.SHA256, Seed: f.Seed,
		Version: f.Version, Revision: f.Revision, Wall: f.Wall, State: f.State, Status: verdict.Status, Reason: verdict.Reason,
		Host: Host{CPUs: f.Host.CPUs, OS: f.Host.OS, NoFile: f.Host.NoFile},
	}
	tallies := check.Tallies(run)
	times := timesOf(run)
	for i := range f.Arms {
		a := &f.Arms[i]
		if !a.Judge || a.Control {
			continue
		}
		plan, err := planOf(run.Plan, a.Name)
		if err != nil {
			return nil, err
		}
		arm := Arm{
			Name: a.Name, Bugs: a.Bugs, Eras: eras(a), Servers: servers(a), Plan: plan, Load: loadOf(run, a),
			Rollouts: rolloutsIn(run, a.Name), Latencies: times.latencies(f.Seed, a.Name),
		}
		for _, row := range verdict.Arms {
			if row.Arm == a.Name {
				arm.Policy = row.Policy
			}
		}
		for _, t := range append(tallies[a.Name], failedOps(run, a.Name)) {
			if len(t.Clusters) > 0 {
				arm.Rates = append(arm.Rates, Rate{Name: t.Name, Unit: t.Unit, Groups: grouped(t.Clusters)})
			}
		}
		slices.SortStableFunc(arm.Rates, func(x, y Rate) int { return cmp.Compare(place(x.Name), place(y.Name)) })
		m.Arms = append(m.Arms, arm)
	}
	return m, nil
}

// place is where a rate stands in a report: in the order of its invariants, and those
// that are no invariants' behind.
func place(name string) int {
	known := check.Known()
	for i, info := range known {
		if info.ID == name {
			return i + 1
		}
	}
	if name == "failed" {
		return 0
	}
	return len(known) + 1 + slices.Index(others, name)
}

// others are the rates that no invariant has, in the order of a report.
var others = []string{"mcp_op_failed", "told-unknown", "over-caution", "replayed", "amplification", "replays-absorbed"}

// failedOps is the metric mcp_op_failed by rollout: operations that left their caller
// without a result.
func failedOps(run *history.Run, arm string) check.Tally {
	t := check.Tally{Name: "mcp_op_failed", Unit: "operations"}
	at := map[string]int{}
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Arm != arm || op.Interrupted {
			continue
		}
		n, ok := at[op.Rollout]
		if !ok {
			n = len(t.Clusters)
			at[op.Rollout] = n
			t.Clusters = append(t.Clusters, stats.Cluster{})
		}
		t.Clusters[n].Of++
		if op.Told != history.ToldOK && op.Told != history.ToldToolError {
			t.Clusters[n].Count++
		}
	}
	return t
}

// grouped counts clusters that are alike, in order.
func grouped(clusters []stats.Cluster) (groups []Group) {
	times := map[stats.Cluster]int{}
	for _, c := range clusters {
		times[c]++
	}
	for c, n := range times {
		groups = append(groups, Group{Count: c.Count, Of: c.Of, Times: n})
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Count, b.Count)) })
	return groups
}

func eras(a *history.Arm) (list []string) {
	for _, s := range a.Servers {
		list = append(list, s.Era)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func servers(a *history.Arm) (list []string) {
	for _, s := range a.Servers {
		list = append(list, strings.TrimSpace(s.Name+" "+cmp.Or(s.URL, "("+s.Reference+")")))
	}
	return list
}

// planOf is a digest of the rules of an arm, whatever the arm is called.
func planOf(rules []history.PlanRule, arm string) (string, error) {
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	for _, rule := range rules {
		if rule.Arm != arm {
			continue
		}
		rule.Arm = ""
		if err := encoder.Encode(rule); err != nil {
			return "", fmt.Errorf("compare: encoding rule %s: %w", rule.Rule, err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// loadOf says what the rollouts of an arm were: its scenarios, and what a command line
// made of the servers' speed.
func loadOf(run *history.Run, a *history.Arm) string {
	var parts []string
	for _, s := range a.Scenarios {
		part := fmt.Sprintf("%s: %s, %d virtual users", s.Name, s.Executor, s.VUs)
		if s.Planned >= 0 {
			part += fmt.Sprintf(", %d rollouts", s.Planned)
		}
		parts = append(parts, part)
	}
	if o := run.Manifest.Overrides; o != nil && o.Latency != "" {
		parts = append(parts, "turns take "+o.Latency)
	}
	if o := run.Manifest.Overrides; o != nil && len(o.Only) > 0 {
		parts = append(parts, "only "+strings.Join(o.Only, ", "))
	}
	return strings.Join(parts, "; ")
}

func rolloutsIn(run *history.Run, arm string) (n int) {
	for i := range run.Rollouts {
		if run.Rollouts[i].Arm == arm {
			n++
		}
	}
	return n
}
