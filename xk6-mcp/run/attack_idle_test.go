package run_test

import (
	"errors"
	"strings"
	"testing"

	"mcpstorm/xk6-mcp/run"
)

// In each of these much is left undone: nothing of what was to be judged came to be.

// scripted is turnsScript with pairs of old and new texts.
func scripted(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(turnsScript) }

// The parts of turnsScript that these tests put others in place of.
const (
	turnFaults = `['C1', 'C2', 'C3', 'C4', 'C5', 'C6'].map((cut) => ({ on: 'sim', cut, share: 0.06 }))`
	turnBody   = `const user = mcp.rollout().connect('sim');`
)

func TestAttackedByIdleness(t *testing.T) {
	t.Parallel()
	cut := `[{ on: 'sim', cut: 'C4', share: 0.5 }]`
	for _, tt := range []struct{ name, script, reason string }{
		{"every rollout hangs", scripted("vus: 16, iterations: 1", "vus: 4, iterations: 1, maxDuration: '2s', gracefulStop: '0s'",
			turnFaults, `[{ on: 'sim', cut: 'C3w', share: 1, for: '60s' }]`), `\d of 4 rollouts interrupted .*maxDuration`},
		{
			"one in eight does anything", scripted(turnFaults, cut, turnBody, `if (__VU % 8) return; `+turnBody),
			`14 of 16 rollouts completed without asking anything`,
		},
		{
			"nothing but connects", scripted(turnFaults, `[]`, `for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));`, ``),
			`16 rollouts, and not one exchange with a server`,
		},
		{
			"a rule about what never comes", scripted(turnFaults, `[{ on: 'sim', cut: 'C4', share: 0.5 }, { on: 'sim', cut: 'C8', at: 'delete', share: 0.9 }]`),
			`rules: 1 of 2 rules acted; r02 had to mark something and marked nothing, for no delete on sim`,
		},
		{
			"every call is an error", scripted(turnFaults, cut, `for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));`, `user.callTool({ name: 'nosuch', arguments: {} });`),
			`of the calls on sim none was told ok, and 16 a tool's error`,
		},
		{
			"nobody lives to the heal", scripted(turnFaults, `[{ on: 'sim', cut: 'C4', share: 0.5, during: ['0s', '1h'] }], heal: '2s'`),
			`heal: .*recovery cannot be judged`,
		},
		{"half of a sweep", scripted("vus: 16, iterations: 1", "vus: 4, iterations: 2",
			turnFaults, `{ sweep: { on: 'sim', ops: 8, cuts: ['C4'], manners: ['rst'], attempts: 1, pairs: false } }`), `single placements not met: the operation was never made`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantNoPass(t, storm(t, tt.script, run.Options{Seed: 1}), run.ExitInconclusive, tt.reason)
		})
	}
}

// TestRulesThatCanNeverActAreRefused: they would look like faults.
func TestRulesThatCanNeverActAreRefused(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		`cut: 'C4', share: 0`, `cut: 'C4', share: [0, 0], during: ['0s', '5s']`, `burst: { at: '0s', what: 0 }`, `idle: '10ms', share: 0`,
		`toxic: 'latency', toxicity: 0, attributes: { latency: 5 }`, `toxic: 'latency', attributes: { latency: 0 }`,
	} {
		_, err := start(t, t.Context(), scripted(turnFaults, `[{ on: 'sim', `+rule+` }]`), run.Options{Seed: 1})
		var failed *run.Error
		if !errors.As(err, &failed) || failed.Code != run.ExitOptions || !strings.Contains(failed.Error(), "can never act") {
			t.Errorf("%s: %v; want exit %d", rule, err, run.ExitOptions)
		}
	}
}

// TestControlComesByItself wherever there are faults, unless the script says that it is
// to have none.
func TestControlComesByItself(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, arms, faults string
		control            bool
	}{
		{"arms that do not name it", "main: {}", turnFaults, true},
		{"faults of one arm", "main: { faults: [{ on: 'sim', cut: 'C4', share: 0.5 }] }, other: { judge: false }", "[]", true},
		{"it is not wanted", "control: false, main: {}", turnFaults, false},
		{"no faults", "main: {}", "[]", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := storm(t, scripted("faults: "+turnFaults, "arms: { "+tt.arms+" }, faults: "+tt.faults), run.Options{Seed: 1})
			if first := o.History.Manifest.Arms[0]; first.Control != tt.control {
				t.Errorf("the first arm is %s; want control: %t", first.Name, tt.control)
			}
			if o.Exit != run.ExitPass {
				t.Errorf("exit %d: %s", o.Exit, o.Verdict.Reason)
			}
		})
	}
}
