package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mcpstorm/history"
)

// listedFault is a fault as a list in storm.faults has it: one that is bound to an
// exchange, or a toxic that acted on all.
type listedFault struct {
	On      string               `json:"on"`
	Op      string               `json:"op,omitempty"`
	Attempt int                  `json:"attempt,omitempty"`
	At      history.ExchangeRole `json:"at,omitempty"`
	Cut     string               `json:"cut,omitempty"`
	Manner  string               `json:"manner,omitempty"`
	Status  *listedStatus        `json:"status,omitempty"`
	Leg     string               `json:"leg,omitempty"`
	Way     string               `json:"way,omitempty"`
	For     string               `json:"for,omitempty"`

	Toxic      string         `json:"toxic,omitempty"`
	Stream     string         `json:"stream,omitempty"`
	Toxicity   *float64       `json:"toxicity,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
}

type listedStatus struct {
	Code       int    `json:"code"`
	RetryAfter string `json:"retryAfter,omitempty"`
	Location   string `json:"location,omitempty"`
}

// String names the fault in a few words.
func (f listedFault) String() string {
	if f.Toxic != "" {
		return fmt.Sprintf("%s of %s, %s", f.Toxic, f.On, f.Stream)
	}
	how := f.Manner
	if f.Status != nil {
		how = fmt.Sprintf("status %d", f.Status.Code)
	}
	return fmt.Sprintf("%s %s at %s, attempt %d of %s", f.Cut, how, f.At, f.Attempt, f.Op)
}

// errNoFaults says that a rollout met nothing that could be shrunk.
var errNoFaults = errors.New("no fault was delivered to it")

// faultsOf are the faults that a task has met, in the order in which they came,
// and the toxics that acted on its arm. A burst is put where it hit: it stands for
// a cut before the request, after it, or within the answer.
func faultsOf(stored *history.Run, arm, task string) (list []listedFault, notes []string) {
	rules := map[string]*history.PlanRule{}
	for i := range stored.Plan {
		r := &stored.Plan[i]
		if r.Arm != arm {
			continue
		}
		rules[r.Rule] = r
		if r.Toxic != "" {
			toxicity := r.Toxicity
			list = append(list, listedFault{On: r.On, Toxic: r.Toxic, Stream: r.Stream, Toxicity: &toxicity, Attributes: r.Attributes})
		}
	}
	met := slices.DeleteFunc(slices.Clone(stored.Faults), func(f history.Fault) bool {
		return f.Arm != arm || f.State != history.FaultDelivered || taskOf(f.Op) != task
	})
	slices.SortStableFunc(met, func(a, b history.Fault) int { return int(min(max(a.At-b.At, -1), 1)) })
	seen := map[listedKey]bool{}
	for _, f := range met {
		key := listedKey{f.Server, f.Op, f.Attempt, f.Role}
		if seen[key] { // of a restart: the plan breaks it there too
			continue
		}
		seen[key] = true
		one := listed(f, rules[f.Rule])
		if f.Cut == "burst" {
			one.Cut = burstAs(f)
			notes = append(notes, fmt.Sprintf("a burst hit %s, attempt %d: %s stands in for it", f.Op, f.Attempt, one.Cut))
		}
		list = append(list, one)
	}
	return list, notes
}

// listedKey is the exchange that a fault is bound to.
type listedKey struct {
	server, op string
	attempt    int
	role       history.ExchangeRole
}

// listed is a receipt as a list has it, with what its rule says beside.
func listed(f history.Fault, rule *history.PlanRule) listedFault {
	one := listedFault{
		On: f.Server, Op: f.Op, Attempt: f.Attempt, At: f.Role, Cut: f.Cut, Manner: f.Manner, Leg: f.Leg, Way: f.Way,
	}
	if rule == nil || rule.Detail == nil {
		return one
	}
	d := rule.Detail
	one.For = d.For
	if d.Code > 0 {
		one.Manner, one.Status = "", &listedStatus{Code: d.Code, Location: d.Location}
		if d.RetryAfter > 0 {
			one.Status.RetryAfter = fmt.Sprintf("%ds", d.RetryAfter)
		}
	}
	return one
}

// burstAs is the cut that comes nearest to where a burst met an exchange.
func burstAs(f history.Fault) string {
	switch {
	case f.Down > 0:
		return "C6"
	case f.Up > 0:
		return "C3"
	}
	return "C1"
}

// listText is a list as a file for --faults.
func listText(list []listedFault) ([]byte, error) {
	if len(list) == 0 {
		return []byte("[]\n"), nil
	}
	text, err := json.MarshalIndent(list, "", "  ")
	return append(text, '\n'), err
}
