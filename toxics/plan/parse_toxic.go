package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/internal/near"
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
	r := Rule{On: d.server(), Stream: "downstream", Toxicity: 1, During: d.window()}
	if r.During.Start {
		d.fail(ErrRule, "during %s: a toxic acts on connections, which are at no step; give two times", d.raw["during"])
	}
	d.read("toxic", &r.Toxic, "a toxic's name")
	d.word("stream", &r.Stream, streams, nil)
	d.read("toxicity", &r.Toxicity, "a number in [0, 1]")
	d.some("toxicity", r.Toxicity)
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
		d.fail(ErrRule, "unknown toxic %q; known: %s%s", r.Toxic, known, near.Suggestion(r.Toxic, knownToxics))
		return
	}
	strict := json.NewDecoder(bytes.NewReader(d.raw["attributes"]))
	strict.DisallowUnknownFields()
	if err := strict.Decode(toxic); d.has("attributes") && err != nil {
		d.fail(ErrRule, "attributes %s of toxic %q: %v", d.raw["attributes"], r.Toxic, err)
	}
	for name, v := range r.Attributes {
		if _, ok := v.(float64); !ok {
			d.fail(ErrRule, "attribute %s of toxic %q is %v, not a number of 0 or more", name, r.Toxic, v)
		}
	}
	if err := CheckToxic(r.Toxic, r.Attributes); err != nil {
		d.fail(ErrRule, "%s", strings.TrimPrefix(err.Error(), ErrRule.Error()+": "))
	}
	d.acts(r)
}

// acts refuses a toxic whose attributes leave nothing for it to do.
func (d *decoder) acts(r Rule) {
	var needed []string
	switch r.Toxic {
	case "latency":
		needed = []string{"latency", "jitter"}
	case "slow_close":
		needed = []string{"delay"}
	default:
		return
	}
	for _, name := range needed {
		if v, _ := r.Attributes[name].(float64); v != 0 {
			return
		}
	}
	d.fail(ErrRule, "toxic %q can never act with %s of 0", r.Toxic, strings.Join(needed, " and "))
}

// maxAttribute bounds what a toxic is told in one number. With more, toxiproxy's own
// arithmetic overflows.
const maxAttribute = 1_000_000_000_000

// CheckToxic refuses attributes under which one of toxiproxy's toxics would end the
// whole process: its slicer v2.12.0 cuts for ever what it is to cut into pieces of
// nothing, and out of bounds where the pieces vary by more than they hold. Its error
// wraps ErrRule. Attributes that are no numbers are not looked at.
func CheckToxic(toxic string, attributes map[string]any) error {
	for name, v := range attributes {
		if n, ok := v.(float64); ok && !(n >= 0 && n <= maxAttribute) {
			return fmt.Errorf("%w: attribute %s of toxic %q is %v, not a number of 0 or more and at most %d", ErrRule, name, toxic, v, maxAttribute)
		}
	}
	if toxic != "slicer" {
		return nil
	}
	size, _ := attributes["average_size"].(float64) // absent is zero
	variation, _ := attributes["size_variation"].(float64)
	switch {
	case size < 1:
		return fmt.Errorf("%w: attribute average_size of toxic %q is %v, want 1 or more", ErrRule, toxic, size)
	case variation >= size:
		return fmt.Errorf("%w: attribute size_variation of toxic %q is %v, want less than average_size, which is %v", ErrRule, toxic, variation, size)
	}
	return nil
}
