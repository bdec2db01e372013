package engine

import (
	"maps"
	"slices"
	"strconv"
)

// systemTags are the tags that k6 documents as given by itself. Most belong to
// protocols that nothing here speaks; to choose one of these changes nothing.
var systemTags = []string{
	"proto", "subproto", "status", "method", "url", "name", "group", "check", "error", "error_code",
	"tls_version", "scenario", "service", "expected_response", "vu", "iter", "ip", "ocsp_status",
}

// ownTags are those that samples do get, and that can therefore be left out.
var ownTags = []string{"group", "check", "scenario", "method"}

// hiddenTags are the tags that the options leave out of every sample.
func (o Options) hiddenTags() []string {
	if o.SystemTags == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(ownTags), func(name string) bool { return slices.Contains(o.SystemTags, name) })
}

// without is the tags but the hidden ones. The map itself is shared, and stays.
func without(tags map[string]string, hidden []string) map[string]string {
	if !slices.ContainsFunc(hidden, func(name string) bool { _, ok := tags[name]; return ok }) {
		return tags
	}
	tags = maps.Clone(tags)
	for _, name := range hidden {
		delete(tags, name)
	}
	return tags
}

// numberTags are the tags vu and iter of an iteration, as far as the options
// ask for them.
func (vu *VU) numberTags() map[string]string {
	chosen := vu.program.declared.rest.SystemTags
	if len(chosen) == 0 {
		return nil
	}
	tags := make(map[string]string)
	if slices.Contains(chosen, "vu") {
		tags["vu"] = strconv.Itoa(vu.id)
	}
	if slices.Contains(chosen, "iter") {
		tags["iter"] = strconv.FormatInt(vu.iteration.InVU, 10)
	}
	return tags
}
