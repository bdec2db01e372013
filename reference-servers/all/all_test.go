package all_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
)

func TestServers(t *testing.T) {
	if diff := cmp.Diff([]string{"ledger", "usersim", "wiki"}, all.Servers().Names()); diff != "" {
		t.Error(diff)
	}
}

// Every server opens rightly and with each of its bugs alone, and its
// description is whole.
func TestEveryKind(t *testing.T) {
	known := []history.ReplayClass{history.ReadOnly, history.Idempotent, history.Keyed, history.Resolvable, history.Unsafe}
	for _, k := range all.Servers() {
		t.Run(k.Name, func(t *testing.T) {
			if k.Doc == "" || len(k.Eras) == 0 || len(k.Classes) == 0 {
				t.Errorf("incomplete: %+v", k)
			}
			configs := []refserver.Config{{}}
			for _, bug := range k.BugIDs() {
				configs = append(configs, refserver.Config{Bugs: []string{bug}})
			}
			for _, cfg := range configs {
				server, err := k.Open(cfg)
				if err != nil {
					t.Fatalf("with %v: %v", cfg.Bugs, err)
				}
				if err := server.Close(context.Background()); err != nil {
					t.Errorf("with %v: %v", cfg.Bugs, err)
				}
				for tool, class := range k.ClassesWith(cfg.Bugs) {
					if !slices.Contains(known, class) {
						t.Errorf("with %v, %s is %q", cfg.Bugs, tool, class)
					}
				}
			}
			for bug := range k.BugClasses {
				if _, ok := k.Bugs[bug]; !ok {
					t.Errorf("%s changes the contract and is no bug of this server", bug)
				}
			}
			for _, tool := range []string{k.Settle, k.Lookup} {
				if tool != "" && !slices.Contains(k.Keys.About, tool) {
					t.Errorf("%s is about another operation, and its key does not say so", tool)
				}
			}
		})
	}
}
