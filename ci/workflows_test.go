package ci

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what is held to rules of a workflow file or of an action.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct{ Steps []step }
	Runs        struct{ Steps []step }
}

type step struct {
	Uses string
	Run  string
	With map[string]any
	If   string
}

func (w workflow) steps() (all []step) {
	for _, job := range w.Jobs {
		all = append(all, job.Steps...)
	}
	return append(all, w.Runs.Steps...)
}

var (
	pinned   = regexp.MustCompile(`^[a-z-]+/[a-z-]+@v\d+\.\d+\.\d+$`)
	twin     = regexp.MustCompile(`^(ci|\$ACTION)/([a-z-]+\.sh)( [^;&|` + "`" + `]*)?$`)
	granted  = []string{"contents: read", "pull-requests: write"}
	ciFolder = map[string]string{"ci": ".", "$ACTION": "action"}
)

func readWorkflow(t *testing.T, path string) (workflow, string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return w, string(text)
}

func workflowFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("workflows", "*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("found the workflows %v, %v", files, err)
	}
	return append(files, filepath.Join("action", "action.yml"))
}

// Every step of a workflow that runs anything calls a script of this folder, and does
// nothing else: what hosted CI does can be done anywhere. What it uses is pinned, what it
// may do is little, and it needs no secret.
func TestWorkflows(t *testing.T) {
	for _, path := range workflowFiles(t) {
		w, text := readWorkflow(t, path)
		for _, problem := range problems(path, w, text) {
			t.Errorf("%s: %s", path, problem)
		}
	}
}

// TestWorkflowRulesCatch proves that the rules can be broken.
func TestWorkflowRulesCatch(t *testing.T) {
	for name, text := range map[string]string{
		"a command of its own":    "permissions: {contents: read}\njobs: {a: {steps: [{run: make}]}}",
		"two commands":            "permissions: {contents: read}\njobs: {a: {steps: [{run: 'ci/nightly.sh a b c; make'}]}}",
		"a script that is not":    "permissions: {contents: read}\njobs: {a: {steps: [{run: ci/nowhere.sh}]}}",
		"an expression in a step": "permissions: {contents: read}\njobs: {a: {steps: [{run: 'ci/nightly.sh ${{ github.event.x }}'}]}}",
		"a branch":                "permissions: {contents: read}\njobs: {a: {steps: [{uses: actions/checkout@v4}, {run: ci/nightly.sh a}]}}",
		"no permissions":          "jobs: {a: {steps: [{run: ci/nightly.sh a}]}}",
		"too many permissions":    "permissions: {contents: write}\njobs: {a: {steps: [{run: ci/nightly.sh a}]}}",
		"a secret":                "permissions: {contents: read}\njobs: {a: {env: {T: '${{ secrets.T }}'}, steps: [{run: ci/nightly.sh a}]}}",
		"nothing runs":            "permissions: {contents: read}\njobs: {a: {steps: []}}",
	} {
		var w workflow
		if err := yaml.Unmarshal([]byte(text), &w); err != nil {
			t.Fatal(err)
		}
		if len(problems("workflows/x.yml", w, text)) != 1 {
			t.Errorf("%s: found %q, want one problem", name, problems("workflows/x.yml", w, text))
		}
	}
}

func problems(path string, w workflow, text string) (list []string) {
	if strings.Contains(text, "secrets.") {
		list = append(list, "it reads a secret")
	}
	runs := 0
	for _, s := range w.steps() {
		switch {
		case s.Uses != "" && !pinned.MatchString(s.Uses):
			list = append(list, s.Uses+" is not pinned to a full version")
		case s.Run != "":
			runs++
			if problem := callsTwin(s.Run); problem != "" {
				list = append(list, problem)
			}
		}
	}
	if runs == 0 {
		list = append(list, "no step runs anything")
	}
	if strings.HasPrefix(path, "action") { // it has the permissions of the workflow that uses it
		return list
	}
	if len(w.Permissions) == 0 {
		list = append(list, "it does not say what it may do")
	}
	for what, access := range w.Permissions {
		if !slices.Contains(granted, what+": "+access) {
			list = append(list, "it may "+access+" "+what)
		}
	}
	return list
}

// callsTwin says why a command is no call of one script that is there.
func callsTwin(command string) string {
	m := twin.FindStringSubmatch(strings.TrimSpace(command))
	if m == nil || strings.Contains(command, "${{") {
		return "a step runs more than one script of ci: " + command
	}
	info, err := os.Stat(filepath.Join(ciFolder[m[1]], m[2]))
	if err != nil || info.Mode()&0o111 == 0 {
		return "there is no script " + m[2] + " that can be run"
	}
	return ""
}

// promised are the paths that the uploads of a workflow file name.
func promised(t *testing.T, path string) (paths []string) {
	t.Helper()
	w, _ := readWorkflow(t, path)
	for _, s := range w.steps() {
		if list, ok := s.With["path"].(string); ok && strings.HasPrefix(s.Uses, "actions/upload-artifact@") {
			paths = append(paths, strings.Fields(list)...)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("%s promises nothing", path)
	}
	return paths
}
