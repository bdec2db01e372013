package proxy_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// driven is a rig whose toxics toxiproxy's own client drives.
func driven(t *testing.T, rules ...plan.Rule) (*rig, *toxiproxy.Client, *toxiproxy.Proxy) {
	t.Helper()
	r := newRig(t, proxy.Options{}, rules...)
	api, err := proxy.StartAPI("127.0.0.1:0", r.Proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := api.Close(ctx); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections() // toxiproxy's client uses it
	})
	c := toxiproxy.NewClient(api.Addr())
	p, err := c.Proxy("sim")
	if err != nil {
		t.Fatal(err)
	}
	return r, c, p
}

// try sends one call on a connection of its own.
func (r *rig) try(t *testing.T, n int) error {
	t.Helper()
	_, err := call(newClient(t, false), r.Addr(), ref(1, n), "json")
	return err
}

// TestAPI drives the toxics of a proxy as users of toxiproxy do.
func TestAPI(t *testing.T) {
	r, c, p := driven(t)
	if p.Listen != r.Addr() || p.Upstream != r.up.addr() || !p.Enabled {
		t.Errorf("proxy: %+v", p)
	}
	if version, err := c.Version(); err != nil || !strings.Contains(string(version), "2.12.0") {
		t.Errorf("version %q, %v", version, err)
	}
	if all, err := c.Proxies(); err != nil || len(all) != 1 || all["sim"] == nil {
		t.Errorf("proxies: %v, %v", all, err)
	}
	if _, err := p.AddToxic("down", "reset_peer", "downstream", 1, toxiproxy.Attributes{"timeout": 0}); err != nil {
		t.Fatal(err)
	}
	if err := r.try(t, 2); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("with a reset: %v", err)
	}
	if toxics, err := p.Toxics(); err != nil || len(toxics) != 5 { // and those that are always in place
		t.Errorf("toxics: %+v, %v", toxics, err)
	}
	if err := p.RemoveToxic("down"); err != nil {
		t.Fatal(err)
	}
	if err := r.try(t, 3); err != nil {
		t.Errorf("without it: %v", err)
	}
	if _, err := p.AddToxic("", "limit_data", "upstream", 1, toxiproxy.Attributes{"bytes": 10}); err != nil {
		t.Fatal(err)
	}
	if toxic, err := p.UpdateToxic("limit_data_upstream", 1, toxiproxy.Attributes{"bytes": 100000}); err != nil || toxic.Attributes["bytes"] != 100000.0 {
		t.Errorf("changed: %+v, %v", toxic, err)
	}
	if err := r.try(t, 4); err != nil {
		t.Errorf("with a limit that is not reached: %v", err)
	}
	if _, err := p.AddToxic("pieces", "mcp_split", "downstream", 1, toxiproxy.Attributes{"size": 1}); err != nil {
		t.Fatal(err)
	}
	if err := r.try(t, 5); err != nil {
		t.Errorf("in pieces: %v", err)
	}
	if err := c.ResetState(); err != nil {
		t.Fatal(err)
	}
	if toxics, err := p.Toxics(); err != nil || len(toxics) != 4 {
		t.Errorf("toxics after a reset: %+v, %v", toxics, err)
	}
	r.end(t)
	for _, f := range r.faults {
		if f.State != history.FaultInstalled {
			t.Errorf("receipt: %+v", f)
		}
	}
	if len(r.faults) != 4 {
		t.Errorf("%d receipts of installation, want 4", len(r.faults))
	}
}

// TestAPIRefuses holds the API to what belongs to the run, and to toxiproxy's errors.
func TestAPIRefuses(t *testing.T) {
	r, c, p := driven(t, toxic("latency", "downstream", map[string]any{"latency": 1}))
	add := func(name, kind, stream string, attributes toxiproxy.Attributes) func() error {
		return func() error { _, err := p.AddToxic(name, kind, stream, 1, attributes); return err }
	}
	tests := []struct {
		name   string
		do     func() error
		status int
	}{
		{"another proxy", func() error { _, err := c.CreateProxy("x", "127.0.0.1:0", "127.0.0.1:1"); return err }, 403},
		{"pieces of nothing", add("cut", "slicer", "downstream", toxiproxy.Attributes{"average_size": 0}), 400},
		{"no proxy", func() error { _, err := c.Proxy("x"); return err }, 404},
		{"disable", p.Disable, 403},
		{"delete", p.Delete, 403},
		{"populate", func() error { _, err := c.Populate([]toxiproxy.Proxy{{Name: "x"}}); return err }, 403},
		{"the witness again", add("x", "mcp_tap_up", "upstream", nil), 403},
		{"a strange toxic", add("x", "no_such", "upstream", nil), 400},
		{"a strange stream", add("x", "latency", "sideways", nil), 400},
		{"a strange attribute", add("x", "latency", "upstream", toxiproxy.Attributes{"latency": "long"}), 400},
		{"a name that is taken", add("r01", "latency", "upstream", nil), 409},
		{"a toxic of the plan", func() error { return p.RemoveToxic("r01") }, 403},
		{"the witness", func() error { return p.RemoveToxic("mcp_tap_down") }, 403},
		{"a change of the plan", func() error { _, err := p.UpdateToxic("r01", 0, nil); return err }, 403},
		{"no toxic", func() error { return p.RemoveToxic("x") }, 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do()
			var refused *toxiproxy.ApiError
			if !errors.As(err, &refused) || refused.Status != tt.status {
				t.Errorf("%v, want HTTP %d", err, tt.status)
			}
		})
	}
	if toxics, err := p.Toxics(); err != nil || len(toxics) != 5 {
		t.Errorf("toxics: %+v, %v", toxics, err)
	}
	if err := r.try(t, 2); err != nil {
		t.Error(err)
	}
}

// TestAPIGuard keeps out who is not to drive it.
func TestAPIGuard(t *testing.T) {
	if _, err := proxy.StartAPI("0.0.0.0:0"); !errors.Is(err, proxy.ErrRemote) {
		t.Errorf("everybody may connect: %v", err)
	}
	api, err := proxy.StartAPI("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close(t.Context())
	for name, edit := range map[string]func(*http.Request){
		"a browser":    func(r *http.Request) { r.Header.Set("User-Agent", "Mozilla/5.0") },
		"another name": func(r *http.Request) { r.Host = "evil.example:80" },
	} {
		r, err := http.NewRequest("GET", "http://"+api.Addr()+"/proxies", nil)
		if err != nil {
			t.Fatal(err)
		}
		edit(r)
		resp, err := newClient(t, false).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}
