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
	Kill   *listedKill   `json:"kill,omitempty"`

	Toxic      string         `json:"toxic,omitempty"`
	Stream     string         `json:"stream,omitempty"`
	Toxicity   *float64       `json:"toxicity,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
	During     []string       `json:"during,omitempty"` // of a toxic, or of idle connections
}

type listedAccept struct {
	At  string `json:"at"`
	For string `json:"for"`
}

type listedKill struct {
	After string `json:"after,omitempty"`
	At    string `json:"at,omitempty"`
	Down  string `json:"down,omitempty"`
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
	case f.Kill != nil && f.Op == "":
		return fmt.Sprintf("kill of %s at %s", f.On, f.Kill.At)
	case f.Kill != nil:
		return fmt.Sprintf("kill of %s after the commit of %s, attempt %d of %s", f.On, f.At, f.Attempt, f.Op)
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
		return f.Arm != arm || f.State != history.FaultDelivered || f.Op == "" || !wanted(history.TaskOfOp(f.Op)) || whole
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
		if all := allConnections(f); all != "" {
			one.Cut, one.For = burstAs(f), ""
			notes = append(notes, fmt.Sprintf("%s hit %s, attempt %d: %s stands in for it", all, f.Op, f.Attempt, one.Cut))
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
		return listedFault{On: r.On, Toxic: r.Toxic, Stream: r.Stream, Toxicity: &toxicity, Attributes: r.Attributes, During: r.During}, true
	case r.Cut == plan.CutAccept && len(r.During) == 2 && r.Detail != nil:
		one.Accept = &listedAccept{At: r.During[0], For: r.Detail.For}
		return one, true
	case r.Cut == plan.CutKill && r.At == "" && len(r.During) == 1:
		return listedFault{On: r.On, Kill: &listedKill{At: r.During[0], Down: downOf(r)}}, true
	case r.Cut == plan.CutIdle && len(r.Idle) == 2:
		least, _ := time.ParseDuration(r.Idle[0]) // a plan writes what it has read
		most, _ := time.ParseDuration(r.Idle[1])
		share := r.Share
		one.Idle, one.Share, one.During = ((least + most) / 2).String(), &share, r.During
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
	if f.Cut == plan.CutKill && allConnections(f) == "" {
		one.Cut, one.Manner, one.Kill = "", "", &listedKill{After: "commit", Down: downOf(rule)}
		return one
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

// allConnections names what broke the exchange together with all that were open, or
// were to be opened; nothing for a fault of its own.
func allConnections(f history.Fault) string {
	switch {
	case f.Cut == plan.CutBurst:
		return "a burst"
	case f.Cut == plan.CutKill && f.Reason != "":
		return "a kill of " + f.Server
	}
	return ""
}

// downOf is how long a rule leaves a killed server down.
func downOf(rule *history.PlanRule) string {
	if rule == nil || rule.Detail == nil {
		return ""
	}
	return rule.Detail.For
}

// burstAs is the cut that comes nearest to where a burst met an exchange.
func burstAs(f history.Fault) string {
	switch {
	case f.Cut == plan.CutKill && f.Conn == 0: // the dial was refused
		return "C0"
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
