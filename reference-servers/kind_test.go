package refserver_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// toy is a kind that keeps the configuration it was opened with.
func toy(got *refserver.Config) refserver.Kind {
	return refserver.Kind{
		Name: "toy",
		Bugs: map[string]string{"FM-02": "second", "FM-01": "first"},
		Eras: []string{"2025-11-25", "2026-07-28"},
		New: func(cfg refserver.Config) (refserver.Server, error) {
			*got = cfg
			return nil, nil
		},
	}
}

func TestOpenCompletesTheConfiguration(t *testing.T) {
	var got refserver.Config
	if _, err := toy(&got).Open(refserver.Config{Bugs: []string{"FM-02"}}); err != nil {
		t.Fatal(err)
	}
	if got.Name != "toy" || got.Era != "2025-11-25" || got.Turns != 4 || got.MaxRollouts != 1_000_000 ||
		got.SessionTimeout != 10*time.Minute || got.Clock == nil || got.Base == nil || got.Logger == nil {
		t.Errorf("completed configuration: %+v", got)
	}
	if !got.HasBug("FM-02") || got.HasBug("FM-01") {
		t.Errorf("bugs: %v", got.Bugs)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  refserver.Config
		want error
		text string
	}{
		{"an unknown bug", refserver.Config{Bugs: []string{"FM-01", "FM-99"}}, refserver.ErrUnknownBug, `"FM-99" (toy has FM-01, FM-02)`},
		{"an unknown era", refserver.Config{Era: "2024"}, refserver.ErrUnknownEra, `"2024" (toy speaks 2025-11-25, 2026-07-28)`},
		{"negative turns", refserver.Config{Turns: -1}, refserver.ErrConfig, "-1"},
		{"a negative latency", refserver.Config{TurnLatency: -time.Second}, refserver.ErrConfig, "-1s"},
		{"a negative tool latency", refserver.Config{ToolLatency: -time.Minute}, refserver.ErrConfig, "-1m0s"},
		{"a negative session timeout", refserver.Config{SessionTimeout: -1}, refserver.ErrConfig, "-1ns"},
		{"a framing without streams", refserver.Config{Framing: wire.SSEFraming{Lines: 2}}, refserver.ErrConfig, "answers with JSON"},
		{"a negative number of lines", refserver.Config{SSE: true, Framing: wire.SSEFraming{Lines: -2}}, refserver.ErrConfig, "sseLines is -2, want 0 or more"},
		{"an unknown line end", refserver.Config{SSE: true, Framing: wire.SSEFraming{LineEnd: "nl"}}, refserver.ErrConfig, `sseLineEnd is "nl"; known: lf, crlf, cr`},
		{"a negative limit", refserver.Config{MaxRollouts: -7}, refserver.ErrConfig, "-7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := toy(new(refserver.Config)).Open(tt.cfg)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.text)
			}
		})
	}
}

func TestClassesWith(t *testing.T) {
	right := map[string]history.ReplayClass{"append": history.Unsafe, "get": history.ReadOnly}
	k := refserver.Kind{Classes: right, BugClasses: map[string]map[string]history.ReplayClass{"FM-24": {"append": history.Idempotent}}}
	for _, tt := range []struct {
		name string
		bugs []string
		want history.ReplayClass
	}{
		{"no bug", nil, history.Unsafe},
		{"a bug of another kind", []string{"FM-33"}, history.Unsafe},
		{"a false contract", []string{"FM-33", "FM-24"}, history.Idempotent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := k.ClassesWith(tt.bugs)
			if diff := cmp.Diff(map[string]history.ReplayClass{"append": tt.want, "get": history.ReadOnly}, got); diff != "" {
				t.Error(diff)
			}
			got["get"] = history.Unsafe
			if right["append"] != history.Unsafe || right["get"] != history.ReadOnly {
				t.Errorf("the kind has changed: %v", right)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	catalog := refserver.Catalog{{Name: "wiki"}, {Name: "ledger"}}
	if diff := cmp.Diff([]string{"ledger", "wiki"}, catalog.Names()); diff != "" {
		t.Error(diff)
	}
	if k, err := catalog.Lookup("wiki"); err != nil || k.Name != "wiki" {
		t.Errorf("wiki: %q, %v", k.Name, err)
	}
	_, err := catalog.Lookup("wikki")
	if !errors.Is(err, refserver.ErrUnknownServer) || !strings.Contains(err.Error(), `"wikki" (known are ledger, wiki)`) {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestTaskNames(t *testing.T) {
	blocks := map[int]string{0: "rollouts", 1: "rollouts", 2: "spike"}
	for _, tt := range []struct {
		name    string
		blocks  map[int]string
		rollout string
		want    []string
	}{
		{"without blocks", nil, "t000017.2", []string{"t000017"}},
		{"first arm", blocks, "t000017.1", []string{"rollouts", "17"}},
		{"second arm, same plan", blocks, "t1000017.3", []string{"rollouts", "17"}},
		{"another scenario", blocks, "t2000017.1", []string{"spike", "17"}},
		{"a block of nobody", blocks, "t9000017.1", []string{"t9000017"}},
		{"a foreign name", blocks, "demo", []string{"demo"}},
		{"a foreign name with a dot", nil, "demo.v2", []string{"demo.v2"}},
		{"restart zero is no restart", nil, "t000001.0", []string{"t000001.0"}},
		{"only a dot and a number", nil, ".1", []string{".1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := refserver.Config{Blocks: tt.blocks}.TaskNames(tt.rollout)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
