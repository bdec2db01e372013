package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcpstorm/internal/near"
)

// ArmSpec is one arm as the script declares it: what it does otherwise.
type ArmSpec struct {
	Name   string
	Policy string          // empty: the run's
	Era    string          // empty: the servers' own
	Faults json.RawMessage // nil: the run's
	Bugs   []string        // nil: the run's
	Judge  bool
}

// armName is what an arm may be called: its name becomes part of those of files.
var armName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*$`)

// controlArm has the same load and no faults; mainArm is the run itself.
const (
	controlArm = "control"
	mainArm    = "main"
)

// Control reports whether this is the arm without faults that shows that the
// load alone does no harm.
func (a ArmSpec) Control() bool {
	return a.Name == controlArm || strings.HasPrefix(a.Name, controlArm+"@")
}

// plainControl is the control arm of which a script says nothing.
func plainControl() ArmSpec {
	return ArmSpec{Name: controlArm, Faults: json.RawMessage("[]"), Judge: true}
}

// parseArms reads storm.arms. The control arm runs first wherever it stands, and
// has no faults whatever it says; control: false is a run without one.
func (s *Storm) parseArms(raw json.RawMessage) error {
	if len(raw) == 0 {
		s.Arms = []ArmSpec{plainControl(), {Name: mainArm, Judge: true}}
		return nil
	}
	fields, err := object("storm.arms", raw, nil, nil)
	if err != nil {
		return err
	}
	for _, name := range keysInOrder(raw) {
		if name == controlArm && string(fields[name]) == "false" {
			s.NoControl = true
			continue
		}
		arm, err := parseArm(name, fields[name])
		if err != nil {
			return err
		}
		if arm.Control() {
			arm.Faults = json.RawMessage("[]")
			s.Arms = append([]ArmSpec{arm}, s.Arms...)
			continue
		}
		s.Arms = append(s.Arms, arm)
	}
	if len(s.Arms) == 0 || (len(s.Arms) == 1 && s.Arms[0].Control()) {
		return fmt.Errorf("%w.arms names no arm beside control", ErrStorm)
	}
	return nil
}

// addControl puts a control arm before arms with faults, where the script names arms and
// says nothing of it.
func (s *Storm) addControl() {
	if s.NoControl || slices.ContainsFunc(s.Arms, ArmSpec.Control) || !slices.ContainsFunc(s.Arms, s.breaks) {
		return
	}
	s.Arms = append([]ArmSpec{plainControl()}, s.Arms...)
}

// breaks reports whether an arm has faults.
func (s *Storm) breaks(arm ArmSpec) bool {
	faults := s.Faults
	if arm.Faults != nil {
		faults = arm.Faults
	}
	var list []json.RawMessage
	return len(faults) > 0 && (json.Unmarshal(faults, &list) != nil || len(list) > 0) // a sweep is no list
}

func parseArm(name string, raw json.RawMessage) (ArmSpec, error) {
	if name != controlArm && near.Nearest(name, []string{controlArm}) != "" {
		return ArmSpec{}, fmt.Errorf("%w.arms has an arm %q, which would be judged as any other%s", ErrStorm, name, near.Suggestion(name, []string{controlArm}))
	}
	if !armName.MatchString(name) {
		return ArmSpec{}, fmt.Errorf("%w.arms has an arm %q: want letters, digits, -, _ and ., the last not in front", ErrStorm, name)
	}
	path := "storm.arms." + name
	fields, err := object(path, raw, []string{"policy", "faults", "bug", "judge", "era"}, []string{"assert"})
	if err != nil {
		return ArmSpec{}, err
	}
	arm := ArmSpec{Name: name, Judge: true, Faults: fields["faults"]}
	bugs := &Storm{}
	err = errors.Join(
		optional(fields, path+".policy", "policy", &arm.Policy),
		optional(fields, path+".judge", "judge", &arm.Judge),
		optional(fields, path+".era", "era", &arm.Era),
		bugs.parseBugs(fields),
	)
	arm.Bugs = bugs.Bugs
	return arm, errors.Join(err, checkEra(path+".era", arm.Era))
}

// keysInOrder lists the keys of a JSON object as they were declared.
func keysInOrder(raw json.RawMessage) (keys []string) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return keys
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return keys
		}
	}
	return keys
}

// forArm is the storm as one arm sees it.
func (s *Storm) forArm(arm ArmSpec) *Storm {
	own := *s
	own.Servers = append([]ServerSpec(nil), s.Servers...)
	if arm.Faults != nil {
		own.Faults = arm.Faults
	}
	if arm.Bugs != nil {
		own.Bugs = arm.Bugs
	}
	if arm.Policy != "" {
		own.force(arm.Policy)
	}
	own.setEra(arm)
	return &own
}
