package compare

import (
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// Measured is what a comparison needs of one run. It is small, whatever the size of
// the run, and stands in for it as a baseline.
type Measured struct {
	Schema   int       `json:"schema"`
	Run      string    `json:"run"` // its id
	Script   string    `json:"script"`
	Digest   string    `json:"script_sha256"`
	Seed     uint64    `json:"seed"`
	Version  string    `json:"version"`
	Revision string    `json:"revision,omitempty"`
	Host     Host      `json:"host"`
	Wall     time.Time `json:"wall"`
	// State is how far the run got, and Status how it was judged.
	State  history.RunState `json:"state"`
	Status history.Status   `json:"status"`
	Reason string           `json:"reason,omitempty"`
	Arms   []Arm            `json:"arms"` // those that are judged, in order of declaration
}

// Host is the machine that a run was made on, as far as that is comparable.
type Host struct {
	CPUs   int    `json:"cpus"`
	OS     string `json:"os"`
	NoFile uint64 `json:"nofile,omitempty"`
}

// Arm is what was measured of one judged arm.
type Arm struct {
	Name   string   `json:"name"`
	Policy string   `json:"policy"` // one name, or SERVER=NAME, … where they differ
	Bugs   []string `json:"bugs,omitempty"`
	Eras   []string `json:"eras"`
	// Servers are what was driven: NAME (REFERENCE), or NAME and its URL.
	Servers []string `json:"servers"`
	// Plan is a digest of the fault rules, and Load says what the rollouts were.
	Plan      string    `json:"plan"`
	Load      string    `json:"load"`
	Rollouts  int       `json:"rollouts"`
	Rates     []Rate    `json:"rates"`
	Latencies []Latency `json:"latencies"`
}

// Rate is one rate of an arm, with the groups that it was counted from.
type Rate struct {
	Name string `json:"name"` // an invariant's id, or that of a rate
	// Unit is rollouts, which are independent, or operations, which share the fate of
	// their rollout.
	Unit   string  `json:"unit"`
	Groups []Group `json:"groups"`
}

// Group is rollouts that count alike.
type Group struct {
	Count int `json:"count"` // of Of operations, in each of them
	Of    int `json:"of"`
	Times int `json:"times"` // how many rollouts
}

// Latency is the quantiles of one series of times, in seconds.
type Latency struct {
	// Metric is the metric's name, with one tag in braces for a part of it.
	Metric    string     `json:"metric"`
	Values    int        `json:"values"`
	Quantiles []Quantile `json:"quantiles"`
}

// Quantile is one quantile with its 95 % interval. An end that the values are too few
// to bound is missing.
type Quantile struct {
	Q     float64  `json:"q"`
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

// clusters are the groups one by one.
func (r *Rate) clusters() (list []stats.Cluster) {
	for _, g := range r.Groups {
		for range g.Times {
			list = append(list, stats.Cluster{Count: g.Count, Of: g.Of})
		}
	}
	return list
}

// arm finds an arm by its name.
func (m *Measured) arm(name string) *Arm {
	for i := range m.Arms {
		if m.Arms[i].Name == name {
			return &m.Arms[i]
		}
	}
	return nil
}

// Rate is a rate of the arm with its 95 % interval, that of Clopper and Pearson for
// rollouts; false where it was not measured.
func (a *Arm) Rate(name string) (history.Interval, bool) {
	r := a.rate(name)
	if r == nil {
		return history.Interval{}, false
	}
	clusters := r.clusters()
	total, bounds := stats.Total(clusters), stats.ClusteredRate(clusters)
	if r.Unit == "rollouts" {
		bounds.Interval = stats.ClopperPearson(total.Count, total.Of)
	}
	return history.Interval{Count: total.Count, Of: total.Of, Rate: bounds.Value, Low: bounds.Low, High: bounds.High}, true
}

// Quantile is a quantile of a latency of the arm; false where it was not measured.
func (a *Arm) Quantile(metric string, q float64) (Quantile, bool) {
	if l := a.latency(metric); l != nil {
		if found := l.quantile(q); found != nil {
			return *found, true
		}
	}
	return Quantile{}, false
}

func (a *Arm) rate(name string) *Rate {
	for i := range a.Rates {
		if a.Rates[i].Name == name {
			return &a.Rates[i]
		}
	}
	return nil
}

func (a *Arm) latency(metric string) *Latency {
	for i := range a.Latencies {
		if a.Latencies[i].Metric == metric {
			return &a.Latencies[i]
		}
	}
	return nil
}

// without lists the rates and latencies of the arm that another has not measured.
func (a *Arm) without(other *Arm) (names []string) {
	for _, r := range a.Rates {
		if other.rate(r.Name) == nil {
			names = append(names, r.Name)
		}
	}
	for _, l := range a.Latencies {
		if other.latency(l.Metric) == nil {
			names = append(names, l.Metric)
		}
	}
	return names
}

func (l *Latency) quantile(q float64) *Quantile {
	for i := range l.Quantiles {
		if l.Quantiles[i].Q == q {
			return &l.Quantiles[i]
		}
	}
	return nil
}
