package run

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a server of storm.servers cannot be is refused by its name, and no value of a
// header is shown.
func TestServersThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, server, want string }{
		{"a header that would repeat calls", `{"server":"wiki","headers":{"idempotency-key":"hush"}}`, "Idempotency-Key is the client's own to set"},
		{"the same of one's own", `{"url":"http://127.0.0.1:1/mcp","headers":{"X-Idempotency-Key":"hush"}}`, "X-Idempotency-Key is the client's own to set"},
		{"a header that is no text", `{"server":"wiki","headers":{"Authorization":"hush","n":1}}`, "storm.servers.s.headers is no object of strings"},
		{"a header twice", `{"server":"wiki","headers":{"a":"hush","A":"hush"}}`, "A is given twice"},
		{"a header's value", `{"server":"wiki","headers":{"a":"hush\n"}}`, "the value of A holds what no header can"},
		{"settle without an argument", `{"url":"http://127.0.0.1:1/mcp","settle":"settle"}`, "no opArgument says how it is asked"},
		{"lookup without an argument", `{"url":"http://127.0.0.1:1/mcp","lookup":"lookup"}`, "no opArgument says how it is asked"},
		{"another machine", `{"url":"http://example.com/mcp"}`, "only loopback addresses are driven, and --allow-remote is not supported yet"},
		{"another machine, with its port", `{"url":"http://192.0.2.1:80/mcp"}`, "only loopback addresses are driven"},
		{"another machine, over TLS", `{"url":"https://example.com/mcp"}`, "only loopback addresses are driven"},
		{"no port", `{"url":"http://localhost/mcp"}`, "want http://HOST:PORT/PATH"},
		{"TLS", `{"url":"https://[::1]:80/mcp"}`, "want http://HOST:PORT/PATH"},
		{"no scheme", `{"url":"localhost:80"}`, "want http://HOST:PORT/PATH"},
		{"turns of a ledger", `{"server":"ledger","turns":3}`, "servers.s.turns: ledger does not read it; known: toolLatency"},
		{"a turn's latency of a wiki", `{"server":"wiki","turnLatency":"1s"}`, "servers.s.turnLatency: wiki does not read it"},
		{"a tool's latency of a simulator", `{"server":"usersim","toolLatency":"1s"}`, "usersim does not read it; known: turns, turnLatency, stateLatency, stateFailures"},
		{"more failures than writes", `{"server":"usersim","stateFailures":1.5}`, "stateFailures is 1.5, want a share from 0 to 1"},
		{"lines of no event stream", `{"server":"usersim","sseLines":3}`, "the server answers with JSON: write sse: true beside them"},
		{"fewer than no lines", `{"server":"usersim","sse":true,"sseLines":-1}`, "sseLines is -1, want 0 or more"},
		{"an unknown line end", `{"server":"usersim","sse":true,"sseLineEnd":"nl"}`, `sseLineEnd is "nl"; known: lf, crlf, cr`},
		{"fewer than no requests at once", `{"server":"usersim","admit":-1}`, "admit is -1, want 0 or more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ParseStorm(json.RawMessage(`{"servers":{"s":` + tt.server + `}}`))
			if err == nil {
				_, err = kindsOf(s)
			}
			if !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// The turn latency of the command line is for servers that take turns.
func TestLatencyOfTheCommandLine(t *testing.T) {
	second := json.RawMessage(`{"servers":{"sim":"usersim","tools":"ledger"}}`)
	s, err := ParseStorm(second)
	if err != nil {
		t.Fatal(err)
	}
	latency := 5 * closeTimeout
	if err := s.applyLatency(&latency); err != nil {
		t.Fatal(err)
	}
	if _, err := kindsOf(s); err != nil || s.server("sim").TurnLatency != latency {
		t.Errorf("%v, %+v", err, s.Servers)
	}
	s.Servers = s.Servers[1:]
	if err := s.applyLatency(&latency); !errors.Is(err, ErrStorm) {
		t.Errorf("a ledger alone takes it: %v", err)
	}
}

// An arm that was meant to be control is no arm to be judged.
func TestArmsThatAreNearlyControl(t *testing.T) {
	for name, refused := range map[string]bool{
		"contrl": true, "Control": true, "controls": true, "cont": true, "control": false, "kontrast": false, "uncut": false,
	} {
		_, err := ParseStorm(json.RawMessage(`{"servers":{"s":"wiki"},"arms":{"` + name + `":{"faults":[]},"main":{}}}`))
		if !refused && err == nil {
			continue
		}
		if !refused || !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `did you mean "control"?`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is told of a bug that does something in one era only, before anything starts.
func TestBugOfAnotherEra(t *testing.T) {
	const script = `
export const storm = { servers: { tools: 'ledger' }, faults: [{ on: 'tools', cut: 'C3', share: 1 }] };
export default function () {}`
	file := filepath.Join(t.TempDir(), "script.js")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	const idle = "bug NO-CANCEL does something in the era 2026-07-28 only, and no server that has it speaks that"
	for _, tt := range []struct {
		era, bug string
		want     []string
	}{
		{"", "NO-CANCEL", []string{"main: " + idle}},
		{"2025-11-25", "NO-CANCEL", []string{"main: " + idle}},
		{"2026-07-28", "NO-CANCEL", nil},
		{"both", "NO-CANCEL", []string{"main@2025-11-25: " + idle}},
		{"2025-11-25", "FM-33", nil},
	} {
		var said []string
		s, err := Plan(t.Context(), Options{
			Script: file, Seed: 1, Era: tt.era, Bugs: []string{tt.bug}, Warn: func(text string) { said = append(said, text) },
		}, Supposed{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		var noted []string
		for _, a := range s.Arms {
			for _, note := range a.Notes {
				if !a.Arm.Control {
					noted = append(noted, a.Arm.Name+": "+note)
				}
			}
		}
		if !slices.Equal(said, tt.want) || !slices.Equal(noted, tt.want) {
			t.Errorf("%s in the era %q: warned of %q, noted %q, want %q", tt.bug, tt.era, said, noted, tt.want)
		}
	}
}
