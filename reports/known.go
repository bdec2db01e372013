package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mcpstorm/history"
	"mcpstorm/internal/near"
	"mcpstorm/reports/check"
)

// KnownFile is the name under which a list of known failures is looked for beside a
// script.
const KnownFile = "known-failures.yaml"

// ErrKnown says that a list of known failures is not what it should be. The text
// names the file, the line and the value seen.
var ErrKnown = errors.New("known failures")

// knownKeys are the fields of an entry, as the file has them.
var knownKeys = []string{"invariant", "script", "arm", "policy", "bug", "reason", "until"}

// ReadKnown reads a list of known failures: a YAML list of entries, each of which
// names an invariant and a reason and may name a script, arm, policy or bug that
// narrows it, and the last day on which it holds. It is strict: an unknown field or
// invariant is an error that names the one that was meant. An empty file is an empty
// list, which is not nil.
func ReadKnown(path string) ([]history.KnownFailure, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKnown, err)
	}
	list, err := parseKnown(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrKnown, path, err)
	}
	return list, nil
}

func parseKnown(data []byte) ([]history.KnownFailure, error) {
	list := []history.KnownFailure{}
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		return list, nil
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document in it")
	}
	entries := root.Content[0]
	if entries.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: want a list of entries: - invariant: …", entries.Line)
	}
	for _, node := range entries.Content {
		entry, err := knownEntry(node)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list, entry) {
			return nil, fmt.Errorf("line %d: the entry stands in the list twice", node.Line)
		}
		list = append(list, entry)
	}
	return list, nil
}

func knownEntry(node *yaml.Node) (k history.KnownFailure, err error) {
	if node.Kind != yaml.MappingNode {
		return k, fmt.Errorf("line %d: want an entry with invariant and reason", node.Line)
	}
	fields := map[string]*string{
		"invariant": &k.Invariant, "script": &k.Script, "arm": &k.Arm, "policy": &k.Policy, "bug": &k.Bug, "reason": &k.Reason, "until": &k.Until,
	}
	for i := 0; i < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		field, ok := fields[name.Value]
		if !ok {
			return k, fmt.Errorf("line %d: an entry has no field %q; it has: %s%s",
				name.Line, name.Value, strings.Join(knownKeys, ", "), near.Suggestion(name.Value, knownKeys))
		}
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" || strings.TrimSpace(value.Value) == "" {
			return k, fmt.Errorf("line %d: %s must be a text that is not empty", value.Line, name.Value)
		}
		if *field != "" {
			return k, fmt.Errorf("line %d: the entry has two fields %s", name.Line, name.Value)
		}
		*field = value.Value
	}
	return k, checkKnown(k, node.Line)
}

// checkKnown looks at the values of one entry.
func checkKnown(k history.KnownFailure, line int) error {
	var ids []string
	for _, info := range check.Known() {
		if info.ID != coverageID { // a run that measured nothing is never excused
			ids = append(ids, info.ID)
		}
	}
	switch {
	case k.Invariant == "":
		return fmt.Errorf("line %d: the entry names no invariant", line)
	case !slices.Contains(ids, k.Invariant):
		return fmt.Errorf("line %d: there is no invariant %q to list; known: %s%s",
			line, k.Invariant, strings.Join(ids, ", "), near.Suggestion(k.Invariant, ids))
	case k.Reason == "":
		return fmt.Errorf("line %d: the entry gives no reason", line)
	case k.Until == "":
		return nil
	}
	if _, err := time.Parse(time.DateOnly, k.Until); err != nil {
		return fmt.Errorf("line %d: until is %q, want a day such as 2027-01-31", line, k.Until)
	}
	return nil
}
