package run

import (
	"encoding/json"
	"errors"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// HealSpec is storm.heal: the phase at the end of every arm with faults in which
// none is armed and everything must converge.
type HealSpec struct {
	// At is when it begins, since the arm began; 0 means with the end of the last
	// window.
	At     time.Duration
	Within time.Duration // how long everything may take to be well again
}

// parseHeal reads storm.heal: how long it lasts, or {at, within}.
func (s *Storm) parseHeal(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var at, within string
	if json.Unmarshal(raw, &within) != nil {
		fields, err := object("storm.heal", raw, []string{"at", "within"}, nil)
		if err != nil {
			return err
		}
		if err := errors.Join(optional(fields, "storm.heal.at", "at", &at), optional(fields, "storm.heal.within", "within", &within)); err != nil {
			return err
		}
	}
	heal := &HealSpec{}
	if err := errors.Join(duration("storm.heal.at", at, &heal.At), duration("storm.heal.within", within, &heal.Within)); err != nil {
		return err
	}
	if heal.Within == 0 {
		return stormError("heal is %s, want how long everything may take to be well again, such as '10s', or {at: '25s', within: '10s'}", raw)
	}
	s.Heal = heal
	return nil
}

// healed closes every window of some rules before the heal begins, and says when
// that is. Where no rule is, or each comes once and has no window, there is no heal.
func (s *Storm) healed(rules []plan.Rule) ([]plan.Rule, *history.Heal, error) {
	if s.Heal == nil || len(rules) == 0 {
		return rules, nil, nil
	}
	at := s.Heal.At
	if at == 0 {
		var err error
		if at, err = plan.End(rules); err != nil || at == 0 {
			return rules, nil, err
		}
	}
	rules, err := plan.EndBy(rules, at)
	return rules, &history.Heal{At: at, Within: s.Heal.Within}, err
}
