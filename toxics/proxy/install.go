package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Shopify/toxiproxy/v2"

	"mcpstorm/toxics"
)

// toxicJSON is a toxic in the words of toxiproxy's HTTP API.
type toxicJSON struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]any `json:"attributes"`
}

// The two streams, as toxiproxy names them.
const (
	upstream   = "upstream"
	downstream = "downstream"
)

// split is the name of the toxic that stands next to the sockets.
const split = "mcp_split"

// chain is the toxics that a connection gets when it is opened. It never changes:
// toxiproxy cannot change the toxics of a live connection without a race, and not
// at all while one is blocked.
type chain struct {
	tox       *toxiproxy.Proxy
	installed []toxicJSON // those that act from the first byte, and are recorded for each connection
}

// install makes a chain of the toxics of the rules and others. Bytes meet them in
// the order of addition: upstream latency, cut, split, tap; downstream tap, cut,
// latency. So the taps stand next to the server, a cut knows how many bytes reach
// each socket, and what it held back is split all the same.
func (p *Proxy) install(added []toxicJSON) (*chain, error) {
	others := slices.Concat(p.planned(), added)
	c := &chain{
		tox:       toxiproxy.NewProxy(p.server, p.opts.Name, p.opts.Listen, p.opts.Upstream),
		installed: slices.DeleteFunc(slices.Clone(others), toxicJSON.windowed),
	}
	var list, last []toxicJSON
	for _, t := range onStream(others, upstream) {
		if t.splits() {
			last = append(last, t)
		} else {
			list = append(list, t)
		}
	}
	if p.opts.Decider != nil {
		list = append(list, p.ours("mcp_cut_up", upstream))
	}
	list = append(list, last...)
	list = append(list, p.ours("mcp_tap_up", upstream), p.ours("mcp_tap_down", downstream))
	if p.opts.Decider != nil {
		list = append(list, p.ours("mcp_cut_down", downstream))
	}
	list = append(list, onStream(others, downstream)...)
	for _, t := range list {
		t.Attributes = p.attributes(t.Type, t.Attributes)
		text, err := json.Marshal(t)
		if err == nil {
			_, err = c.tox.Toxics.AddToxicJson(bytes.NewReader(text))
		}
		if err != nil {
			return nil, fmt.Errorf("proxy: %s: toxic %s (%s): %w", p.opts.Name, t.Name, t.Type, err)
		}
	}
	return c, nil
}

// planned are the toxics that the rules ask for, in order of declaration.
func (p *Proxy) planned() (out []toxicJSON) {
	for _, r := range p.opts.Toxics {
		if r.Toxic == "" || r.On != p.opts.Name {
			continue
		}
		t := toxicJSON{r.ID, r.Toxic, r.Stream, r.Toxicity, r.Attributes}
		if r.Windowed() {
			t.Type = toxics.Windowed(r.Toxic)
			t.Attributes = map[string]any{"rule": r.ID, "toxic": p.attributes(r.Toxic, r.Attributes)}
		}
		out = append(out, t)
	}
	return out
}

// windowed reports whether the toxic acts only while the window of its rule is open.
func (t toxicJSON) windowed() bool { return strings.HasPrefix(t.Type, toxics.Windowed("")) }

// splits reports whether the toxic is the one that stands next to the sockets.
func (t toxicJSON) splits() bool { return t.Type == split || t.Type == toxics.Windowed(split) }

// onStream are the toxics of one stream, in their order.
func onStream(all []toxicJSON, stream string) (out []toxicJSON) {
	for _, t := range all {
		if t.Stream == stream {
			out = append(out, t)
		}
	}
	return out
}

// attributes are those of a toxic, with our hub where it needs one; toxiproxy wants
// an object even when empty.
func (p *Proxy) attributes(toxic string, given map[string]any) map[string]any {
	out := maps.Clone(given)
	if out == nil {
		out = map[string]any{}
	}
	if toxics.UsesHub(toxic) {
		out["hub"] = p.hub.ID()
	}
	return out
}

// ours is one of our toxics, which finds the hub by its id.
func (p *Proxy) ours(name, stream string) toxicJSON {
	return toxicJSON{name, name, stream, 1, map[string]any{"hub": p.hub.ID()}}
}
