package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

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

// install puts the toxics in place. Bytes meet them in the order of addition:
// upstream latency, cut, tap; downstream tap, cut, latency. So the taps stand
// next to the server, and a cut knows how many bytes reach each socket.
func (p *Proxy) install() error {
	for _, r := range p.opts.Toxics {
		if r.Toxic != "" && r.On == p.opts.Name {
			p.toxics = append(p.toxics, r)
		}
	}
	list := p.stock("upstream")
	if p.opts.Decider != nil {
		list = append(list, p.ours("mcp_cut_up", "upstream"))
	}
	list = append(list, p.ours("mcp_tap_up", "upstream"), p.ours("mcp_tap_down", "downstream"))
	if p.opts.Decider != nil {
		list = append(list, p.ours("mcp_cut_down", "downstream"))
	}
	for _, t := range append(list, p.stock("downstream")...) {
		text, err := json.Marshal(t)
		if err == nil {
			_, err = p.tox.Toxics.AddToxicJson(bytes.NewReader(text))
		}
		if err != nil {
			return fmt.Errorf("proxy: %s: toxic %s (%s): %w", p.opts.Name, t.Name, t.Type, err)
		}
	}
	return nil
}

// stock are toxiproxy's own toxics of one direction.
func (p *Proxy) stock(stream string) []toxicJSON {
	var out []toxicJSON
	for _, r := range p.toxics {
		if r.Stream == stream {
			out = append(out, toxicJSON{r.ID, r.Toxic, stream, r.Toxicity, p.attributes(r.Toxic, r.Attributes)})
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
