package xk6mcp_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/reference-servers/all"
	"mcpstorm/reports/check"
	"mcpstorm/toxics/plan"
	"mcpstorm/xk6-mcp/client"
)

// TestTheTypesKnowEveryName holds the words of index.d.ts to those that are
// accepted: a name that an editor refuses, or offers in vain, misleads.
func TestTheTypesKnowEveryName(t *testing.T) {
	data, err := os.ReadFile("index.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	var invariants []string
	for _, known := range check.Known() {
		invariants = append(invariants, known.ID)
	}
	for name, want := range map[string][]string{
		"PolicyName":    client.Presets(),
		"ReferenceName": all.Servers().Names(),
		"Invariant":     invariants,
	} {
		slices.Sort(want)
		if diff := cmp.Diff(want, words(string(data), name)); diff != "" {
			t.Errorf("export type %s (-accepted +typed):\n%s", name, diff)
		}
	}
	for _, cut := range words(string(data), "Cut") {
		if len(plan.MannersOf(cut)) == 0 {
			t.Errorf("the plan knows no cut %q", cut)
		}
	}
}

// words are the texts of a union, sorted.
func words(types, name string) []string {
	_, union, _ := strings.Cut(types, "export type "+name+" =")
	union, _, _ = strings.Cut(union, ";")
	var texts []string
	for _, quoted := range regexp.MustCompile(`'[^']+'`).FindAllString(union, -1) {
		texts = append(texts, strings.Trim(quoted, "'"))
	}
	slices.Sort(texts)
	return texts
}

// TestTheLockNamesNoHost: the packages that check the types come from whatever
// registry a machine uses.
func TestTheLockNamesNoHost(t *testing.T) {
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join("..", "ci", "types", name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "resolved") || strings.Contains(string(data), "://") {
			t.Errorf("%s names a host", name)
		}
	}
}
