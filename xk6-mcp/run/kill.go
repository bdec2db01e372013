package run

import (
	refserver "mcpstorm/reference-servers"
	"mcpstorm/toxics/plan"
)

// durable reports whether the state of the server outlives its process: that of an
// isolated one does, unless the script says otherwise.
func (s ServerSpec) durable(kind refserver.Kind) bool {
	if s.Durable != nil {
		return *s.Durable
	}
	return s.Isolate && kind.Durable
}

// checkKills refuses to kill a server that has no process of its own, and durable
// where there is no state.
func (a *arm) checkKills(rules []plan.Rule) error {
	for _, spec := range a.storm.Servers {
		if kind := a.kinds[spec.Name]; spec.durable(kind) && !kind.Durable {
			return stormError("servers.%s.durable is true, and %s has no state that could be lost", spec.Name, spec.Reference)
		}
	}
	for _, r := range rules {
		if r.Cut != plan.CutKill {
			continue
		}
		switch spec := a.storm.server(r.On); {
		case spec.Reference == "":
			return stormError("faults: %s kills %s, which is a server of your own: only a reference server with isolate: true can be killed and started again", r.ID, r.On)
		case !spec.Isolate:
			return stormError("faults: %s kills %s, which is no process of its own: write %s: {server: '%s', isolate: true} in storm.servers", r.ID, r.On, r.On, spec.Reference)
		}
	}
	return nil
}
