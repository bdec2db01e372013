package check_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpstorm/history"
)

// beside gives the operations of a script's turns the times of calls that ran side by
// side: "START-END" in seconds, one for each.
func beside(run *history.Run, times string) *history.Run {
	for i, text := range strings.Fields(times) {
		var from, to int
		if _, err := fmt.Sscanf(text, "%d-%d", &from, &to); err != nil {
			panic(err)
		}
		run.Ops[i].Start, run.Ops[i].End = history.Instant(from)*second, history.Instant(to)*second
	}
	return run
}

// Turns that were asked for side by side may be taken in any order that their times
// allow, and in no other.
func TestTurnsSideBySide(t *testing.T) {
	for _, c := range []struct {
		name string
		script
		times  string
		status history.Status
		reason string
	}{
		{"taken in the order of their answers", script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:1 n1, commit seq:2 n2"}, "1-4 2-5", history.Pass, ""},
		{"taken in another order", script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:2 n2, commit seq:1 n1"}, "1-4 2-5", history.Pass, ""},
		{"one after another they have one order", script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:2 n2, commit seq:1 n1"}, "1-2 3-4", history.Fail, "the transcript skips a turn"},
		{
			"the one that ended first was taken last",
			script{turns: "seq:1 ok n1, seq:2 ok n2, seq:3 ok n3", log: "commit seq:3 n3, commit seq:2 n2, commit seq:1 n1"},
			"1-2 1-9 5-9", history.Fail, "no order explains the turns",
		},
		{
			"three at once, and one afterwards",
			script{turns: "seq:3 ok n3, seq:1 ok n1, seq:2 ok n2, seq:4 ok n4", log: "commit seq:2 n2, commit seq:3 n3, commit seq:1 n1, commit seq:4 n4"},
			"1-4 1-5 2-6 7-8", history.Pass, "",
		},
		{"one of them is lost, and told unknown", script{turns: "seq:1 ok n1, seq:2 unknown -, seq:3 ok n3", log: "commit seq:2 n2, commit seq:1 n1, commit seq:3 n3"}, "1-4 1-4 2-5", history.Pass, ""},
		{"two of them are lost, and told unknown", script{turns: "seq:1 unknown -, seq:2 unknown -, seq:3 ok n3", log: "commit seq:2 n2, commit seq:1 n1, commit seq:3 n3"}, "1-4 1-4 2-5", history.Pass, ""},
		{"the transcript does not hold the lost one", script{turns: "seq:1 ok n1, seq:3 ok n3", lost: "seq:2 unknown", log: "commit seq:2 n2, commit seq:1 n1, commit seq:3 n3"}, "1-4 2-5 1-4", history.Pass, ""},
		{
			"a lost one was taken before it was asked for",
			script{turns: "seq:1 ok n1, seq:3 ok n3", lost: "seq:2 unknown", log: "commit seq:2 n2, commit seq:1 n1, commit seq:3 n3"},
			"1-4 2-5 8-9", history.Fail, "no order explains",
		},
		{"a taken one was told ok and is not there", script{turns: "seq:1 ok n1, seq:3 ok n3", lost: "seq:2 ok", log: "commit seq:2 n2, commit seq:1 n1, commit seq:3 n3"}, "1-4 2-5 1-4", history.Fail, "a turn was taken and lost"},
		{"one stands in it twice", script{turns: "seq:1 ok n1, seq:2 ok n1", log: "commit seq:1 n1, commit seq:2 n2"}, "1-4 2-5", history.Fail, "repeats a turn"},
		{"one was never taken", script{turns: "seq:1 ok n1, seq:2 ok nx", log: "commit seq:1 n1, commit seq:2 n2"}, "1-4 2-5", history.Fail, "never taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantStatus(t, judge(t, beside(c.run(t), c.times), "exactly-once-turns"), c.status, c.reason)
		})
	}
}

// A search that takes too long is given up, and nothing is said.
func TestTurnsSideBySideUndecided(t *testing.T) {
	const n = 3001
	var turns, log, times []string
	for i := range n {
		turns = append(turns, fmt.Sprintf("seq:%d ok n%d", i, i))
		log = append(log, fmt.Sprintf("commit seq:%d n%d", i*7919%n, i*7919%n))
		times = append(times, "1-8")
	}
	run := script{turns: strings.Join(turns, ","), log: strings.Join(log, ",")}.run(t)
	wantStatus(t, judge(t, beside(run, strings.Join(times, " ")), "exactly-once-turns"), history.NotEvaluated, "no order of its turns was found in 1000000 steps")
}
