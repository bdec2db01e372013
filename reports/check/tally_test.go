package check_test

import (
	"testing"

	"mcpstorm/reports/check"
	"mcpstorm/reports/stats"
)

// Every rate has one tally, and that counts what the verdict counts.
func TestTalliesAgreeWithTheVerdict(t *testing.T) {
	run := script{
		turns: "seq:0 ok n1, seq:2 ok n3", lost: "seq:1 unknown",
		log: "begin seq:0 n1, commit seq:0 n1, answer seq:0 n1, begin seq:1 n2, commit seq:1 n2, begin seq:2 n3, commit seq:2 n3, answer seq:2 n3",
	}.run(t)
	verdict := check.Evaluate(run, check.Options{All: true})
	seen := map[string]stats.Cluster{}
	for _, tally := range check.Tallies(run)["main"] {
		if _, twice := seen[tally.Name]; twice {
			t.Errorf("%s is counted twice", tally.Name)
		}
		seen[tally.Name] = stats.Total(tally.Clusters)
	}
	for _, inv := range verdict.Invariants {
		if inv.Evaluated == 0 || inv.ID == "coverage" || inv.Unit != "rollouts" && inv.Unit != "operations" {
			continue
		}
		if got := seen[inv.ID]; got.Count != inv.Violated || got.Of != inv.Evaluated {
			t.Errorf("%s: %d of %d, and the verdict says %d of %d", inv.ID, got.Count, got.Of, inv.Violated, inv.Evaluated)
		}
	}
	for _, r := range verdict.Rates {
		if got, ok := seen[r.Name]; ok && (got.Count != r.Rate.Count || got.Of != r.Rate.Of) {
			t.Errorf("%s: %d of %d, and the verdict says %d of %d", r.Name, got.Count, got.Of, r.Rate.Count, r.Rate.Of)
		}
	}
	if got := seen["told-unknown"]; got != (stats.Cluster{Count: 1, Of: 3}) {
		t.Errorf("told-unknown is %v, want 1 of 3", got)
	}
	if seen["exactly-once-turns"].Count != 1 || seen["failed"].Of != 1 {
		t.Errorf("the lost turn is not counted: %v", seen)
	}
}
