package xk6mcp_test

import (
	"encoding/json"
	"maps"
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
	"mcpstorm/xk6-mcp/run"
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

// TestTheTypesKnowEveryKey holds the keys of each object of index.d.ts to those that
// are accepted, which the refusal of an unknown one lists.
func TestTheTypesKnowEveryKey(t *testing.T) {
	data, err := os.ReadFile("index.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	storm := func(text string) error {
		_, err := run.ParseStorm(json.RawMessage(text))
		return err
	}
	faults := func(text string) error {
		_, err := plan.Parse(json.RawMessage(text), []string{"sim"})
		return err
	}
	for _, tt := range []struct {
		interfaces []string
		refusal    error
	}{
		{[]string{"Storm"}, storm(`{"no":1}`)},
		{[]string{"ServerBase", "ReferenceServer", "OwnServer"}, storm(`{"servers":{"x":{"no":1}}}`)},
		{[]string{"Arm"}, storm(`{"servers":{"x":"usersim"},"arms":{"m":{"no":1}}}`)},
		{[]string{"FaultBase", "CutBase", "ShareFault"}, faults(`[{"on":"sim","cut":"C4","no":1}]`)},
		{[]string{"FaultBase", "CutBase", "ListedFault"}, faults(`[{"on":"sim","cut":"C4","op":"t000001/s02","no":1}]`)},
		{[]string{"FaultBase", "BurstFault"}, faults(`[{"on":"sim","burst":{"at":"1s"},"no":1}]`)},
		{[]string{"FaultBase", "KillBase", "KillShareFault"}, faults(`[{"on":"sim","kill":{"after":"commit"},"no":1}]`)},
		{[]string{"FaultBase", "KillBase", "KillListedFault"}, faults(`[{"on":"sim","kill":{"after":"commit"},"op":"t000001/s02","no":1}]`)},
		{[]string{"FaultBase", "KillAtFault"}, faults(`[{"on":"sim","kill":{"at":"1s"},"no":1}]`)},
		{[]string{"FaultBase", "ToxicFault"}, faults(`[{"on":"sim","toxic":"latency","no":1}]`)},
		{[]string{"FaultBase", "Sweep"}, faults(`{"sweep":{"on":"sim","ops":4,"no":1}}`)},
	} {
		typed := map[string]bool{}
		for _, name := range tt.interfaces {
			for _, key := range keys(string(data), name) {
				typed[key] = true
			}
		}
		if diff := cmp.Diff(accepted(tt.refusal), slices.Sorted(maps.Keys(typed))); diff != "" {
			t.Errorf("%s (-accepted +typed):\n%s", strings.Join(tt.interfaces, ", "), diff)
		}
	}
}

// accepted are the keys that a refusal lists, sorted.
func accepted(refusal error) []string {
	if refusal == nil {
		return nil
	}
	_, list, _ := strings.Cut(refusal.Error(), "known: ")
	list, _, _ = strings.Cut(list, ";")
	known := strings.Split(list, ", ")
	slices.Sort(known)
	return known
}

// keys are the members of an interface, but for those that must not be there.
func keys(types, name string) []string {
	_, body, _ := strings.Cut(types, "export interface "+name+" ")
	body, _, _ = strings.Cut(body, "\n  }\n")
	var keys []string
	for _, member := range regexp.MustCompile(`(?m)^    (\w+)\??: (.*)$`).FindAllStringSubmatch(body, -1) {
		if member[2] != "never;" {
			keys = append(keys, member[1])
		}
	}
	return keys
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
