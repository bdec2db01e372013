package plan

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// The toxics of toxiproxy that a rule may name, and the streams.
var (
	knownToxics = []string{
		"latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data", // toxiproxy's own
		"mcp_split", // ours, registered by package toxics
	}
	streams = []string{"downstream", "upstream"}
)

// toxicRule reads one of toxiproxy's own toxics, in toxiproxy's own words.
func (d *decoder) toxicRule() Rule {
	r := Rule{On: d.server(), Stream: "downstream", Toxicity: 1}
	d.read("toxic", &r.Toxic, "a toxic's name")
	d.word("stream", &r.Stream, streams, nil)
	d.read("toxicity", &r.Toxicity, "a number in [0, 1]")
	d.unit("toxicity", r.Toxicity)
	d.read("attributes", &r.Attributes, "an object")
	d.toxic(r)
	return r
}

// toxic checks name and attributes against toxiproxy's registry.
func (d *decoder) toxic(r Rule) {
	wrapper := &toxics.ToxicWrapper{Type: r.Toxic}
	toxic := toxics.New(wrapper)
	known := strings.Join(knownToxics, ", ")
	switch {
	case d.err != nil:
		return
	case toxic == nil, !slices.Contains(knownToxics, r.Toxic):
		d.fail(ErrRule, "unknown toxic %q; known: %s", r.Toxic, known)
		return
	}
	strict := json.NewDecoder(bytes.NewReader(d.raw["attributes"]))
	strict.DisallowUnknownFields()
	if err := strict.Decode(toxic); d.has("attributes") && err != nil {
		d.fail(ErrRule, "attributes %s of toxic %q: %v", d.raw["attributes"], r.Toxic, err)
	}
	for name, v := range r.Attributes {
		if n, ok := v.(float64); !ok || n < 0 {
			d.fail(ErrRule, "attribute %s of toxic %q is %v, not a number of 0 or more", name, r.Toxic, v)
		}
	}
}
