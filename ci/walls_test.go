package ci

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "mcpstorm"

// A wall says what one part of the module may import of the rest. The longest
// matching prefix of a package's path decides; an entry of may is a prefix too.
type wall struct {
	pkg string
	may []string
}

// walls is the shape of the module: arrows go one way, from running through
// the history to judging.
var walls = []wall{
	{"internal/clock", nil},
	{"internal/near", nil},
	{"internal/process", []string{"internal/clock"}},
	{"internal/seed", nil},
	{"internal/wire", nil},
	{"reports/stats", nil},
	{"history", []string{"internal/clock"}},
	{"toxics/plan", []string{"history", "internal"}},
	{"toxics/proxy", []string{"history", "internal", "toxics"}},
	{"toxics", []string{"history", "internal", "toxics/plan"}},
	{"reference-servers", []string{"history", "internal", "reference-servers"}},
	{"xk6-mcp/client", []string{"history", "internal"}},
	{"xk6-mcp/engine", []string{"internal"}},
	{"xk6-mcp/community", []string{"internal/clock", "internal/process", "xk6-mcp/engine"}},
	{"xk6-mcp/telemetry", []string{"history"}},
	{"xk6-mcp/run", []string{""}},
	{"xk6-mcp", []string{"history", "internal", "xk6-mcp/client", "xk6-mcp/engine"}},
	{"docs", nil},
	{"reports", []string{"history", "internal/near", "internal/seed", "internal/wire", "reports"}},
	{"scenarios", nil},
	{"cmd", []string{""}},
	{"ci", []string{""}},
}

// foreign says which libraries are kept to one place.
var foreign = []wall{
	{"github.com/Shopify/toxiproxy", []string{"toxics"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"reference-servers", "xk6-mcp/client/sdk", "xk6-mcp/community"}},
	{"github.com/grafana/sobek", []string{"xk6-mcp", "xk6-mcp/engine"}},
	{"gonum.org/v1/plot", []string{"reports/chart"}},
	{"github.com/prometheus/client_golang", []string{"xk6-mcp/engine/output"}},
	{"go.opentelemetry.io", []string{"xk6-mcp/telemetry"}},
	{"github.com/spf13/cobra", []string{"cmd"}},
}

// ruledOut may be imported nowhere, directly or through a library: k6 is AGPL.
var ruledOut = []string{`go.k6.io`, `github.com/grafana/xk6`}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func TestWalls(t *testing.T) {
	packages := list(t)
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages of the module, want the whole of it", len(packages))
	}
	for _, p := range packages {
		for _, problem := range broken(p) {
			t.Error(problem)
		}
	}
}

// TestWallsCatch proves that the test above can fail.
func TestWallsCatch(t *testing.T) {
	for name, p := range map[string]listed{
		"a checker that knows the client": {ImportPath: module + "/reports/check", Imports: []string{module + "/xk6-mcp/client"}},
		"a toxic that knows the client":   {ImportPath: module + "/toxics", Imports: []string{module + "/xk6-mcp/client"}},
		"a leaf with a branch":            {ImportPath: module + "/internal/wire", Imports: []string{module + "/history"}},
		"a library in the wrong room":     {ImportPath: module + "/history", Imports: []string{"github.com/grafana/sobek"}},
		"a package of no part":            {ImportPath: module + "/elsewhere"},
		"k6 through a library":            {ImportPath: module + "/xk6-mcp/engine", Deps: []string{`go.k6.io/any/lib`}},
	} {
		if len(broken(p)) == 0 {
			t.Errorf("%s: no broken wall was found", name)
		}
	}
}

// broken lists what a package imports and must not.
func broken(p listed) []string {
	own := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
	w, ok := find(walls, own)
	if !ok {
		return []string{p.ImportPath + " belongs to no part of the module: give it a wall"}
	}
	var problems []string
	for _, path := range p.Imports {
		if ours, ok := strings.CutPrefix(path, module+"/"); ok && !under(ours, w.pkg) && !anyUnder(ours, w.may) {
			problems = append(problems, p.ImportPath+" must not import "+path)
		}
		if f, ok := find(foreign, path); ok && !anyUnder(own, f.may) {
			problems = append(problems, p.ImportPath+" must not import "+path+", which is kept to "+strings.Join(f.may, ", "))
		}
	}
	for _, path := range p.Deps {
		if anyUnder(path, ruledOut) {
			problems = append(problems, p.ImportPath+" depends on "+path+", which is ruled out")
		}
	}
	return problems
}

func find(list []wall, path string) (best wall, ok bool) {
	for _, w := range list {
		if under(path, w.pkg) && (!ok || len(w.pkg) > len(best.pkg)) {
			best, ok = w, true
		}
	}
	return best, ok
}

func under(path, prefix string) bool {
	return prefix == "" || path == prefix || strings.HasPrefix(path, prefix+"/")
}

func anyUnder(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return under(path, p) })
}

func list(t *testing.T) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "./...")
	command.Dir = ".."
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if under(p.ImportPath, module) {
			all = append(all, p)
		}
	}
}
