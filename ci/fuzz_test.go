package ci

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Every reader of bytes has a fuzz target, and make fuzz finds it.
func TestEveryReaderOfBytesIsFuzzed(t *testing.T) {
	out, err := exec.Command("bash", "fuzz.sh", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	targets := strings.Split(strings.TrimSpace(string(out)), "\n")
	for what, target := range map[string]string{
		"a stored history":              "history FuzzRead",
		"its manifest":                  "history FuzzManifest",
		"a line of one":                 "history FuzzScan",
		"a message of JSON-RPC":         "internal/wire FuzzJSON",
		"an event stream":               "internal/wire FuzzSSEDecoder",
		"HTTP framing":                  "internal/wire FuzzFramer",
		"the beginning of a request":    "toxics FuzzBeginning",
		"a fault plan":                  "toxics/plan FuzzParse",
		"a list of known failures":      "reports FuzzParseKnown",
		"the arguments of a tool":       "reference-servers FuzzArguments",
		"the options of a script":       "xk6-mcp/engine FuzzOptions",
		"what passes the fault layer":   "toxics FuzzUnmarkedBytesPass",
		"what the fault layer settles":  "toxics FuzzEveryMarkIsSettled",
		"a burst among marked requests": "toxics FuzzBurstAmongMarks",
		"every cut in every manner":     "toxics FuzzEveryMannerIsSettled",
		"writes in other pieces":        "toxics FuzzSplit",
	} {
		if !slices.Contains(targets, target) {
			t.Errorf("%s: make fuzz does not run %s", what, target)
		}
	}
}
