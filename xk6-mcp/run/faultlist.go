package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
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

	Idle   string        `json:"idle,omitempty"`
	Jitter string        `json:"jitter,omitempty"`
	Share  *float64      `json:"share,omitempty"`
	Accept *listedAccept `json:"accept,omitempty"`

	Toxic      string         `json:"toxic,omitempty"`
	Stream     string         `json:"stream,omitempty"`
	Toxicity   *float64       `json:"toxicity,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
}

type listedAccept struct {
	At  string `json:"at"`
	For string `json:"for"`
}

type listedStatus struct {
	Code       int    `json:"code"`
	RetryAfter string `json:"retryAfter,omitempty"`
	Location   string `json:"location,omitempty"`
}

// String names the fault in a few words.
func (f listedFault) String() string {
	switch {
	case f.Toxic != "":
		return fmt.Sprintf("%s of %s, %s", f.Toxic, f.On, f.Stream)
	case f.Idle != "":
		return fmt.Sprintf("idle %s of %s after %s", f.Manner, f.On, f.Idle)
	case f.Accept != nil:
		return fmt.Sprintf("accept %s of %s at %s for %s", f.Manner, f.On, f.Accept.At, f.Accept.For)
	}
	how := f.Manner
	if f.Status != nil {
		how = fmt.Sprintf("status %d", f.Status.Code)
	}
	return fmt.Sprintf("%s %s at %s, attempt %d of %s", f.Cut, how, f.At, f.Attempt, f.Op)
}

// faultsOf are the faults that the wanted tasks of an arm have met, in the order in which they came,
// and the rules of its arm that act on every connection. A burst is put where it hit: it stands for
// a cut before the request, after it, or within the answer.
func faultsOf(stored *history.Run, arm string, wanted func(task string) bool) (list []listedFault, notes []string) {
	rules := map[string]*history.PlanRule{}
	for i := range stored.Plan {
		r := &stored.Plan[i]
		if r.Arm != arm {
			continue
		}
		rules[r.Rule] = r
		if one, ok := ofConnections(r); ok {
			list = append(list, one)
		}
	}
	met := slices.DeleteFunc(slices.Clone(stored.Faults), func(f history.Fault) bool {
		_, whole := ofConnections(rules[f.Rule])
		return f.Arm != arm || f.State != history.FaultDelivered || f.Op == "" || !wanted(taskOf(f.Op)) || whole
	})
	slices.SortStableFunc(met, func(a, b history.Fault) int { return cmp.Compare(a.At, b.At) })
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

// ofConnections is a rule that acts on connections, other than a burst, as a list
// has it: as a whole, for no exchange is its own.
func ofConnections(r *history.PlanRule) (one listedFault, ok bool) {
	if r == nil {
		return one, false
	}
	one = listedFault{On: r.On, Manner: r.Manner}
	switch {
	case r.Toxic != "":
		toxicity := r.Toxicity
		return listedFault{On: r.On, Toxic: r.Toxic, Stream: r.Stream, Toxicity: &toxicity, Attributes: r.Attributes}, true
	case r.Cut == plan.CutAccept && len(r.During) == 2 && r.Detail != nil:
		one.Accept = &listedAccept{At: r.During[0], For: r.Detail.For}
		return one, true
	case r.Cut == plan.CutIdle && len(r.Idle) == 2:
		least, _ := time.ParseDuration(r.Idle[0]) // a plan writes what it has read
		most, _ := time.ParseDuration(r.Idle[1])
		share := r.Share
		one.Idle, one.Share = ((least + most) / 2).String(), &share
		if most > least {
			one.Jitter = ((most - least) / 2).String()
		}
		if r.Detail != nil {
			one.For = r.Detail.For
		}
		return one, true
	}
	return one, false
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
