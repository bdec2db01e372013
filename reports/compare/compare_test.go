package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/reports/compare"
)

func small(t *testing.T, id string) *compare.Measured {
	t.Helper()
	return world{rollouts: 32, slow: 0.05}.measure(t, id, seed.Root(1).Stream("small"))
}

// Runs of different things are not compared unless that is asked for.
func TestGrounds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*compare.Measured)
		ground string
	}{
		"stopped":       {func(m *compare.Measured) { m.State = history.StateStopped }, "state"},
		"inconclusive":  {func(m *compare.Measured) { m.Status = history.Inconclusive }, "verdict"},
		"script":        {func(m *compare.Measured) { m.Digest = "def" }, "script"},
		"seed":          {func(m *compare.Measured) { m.Seed = 2 }, "seed"},
		"another arm":   {func(m *compare.Measured) { m.Arms[0].Name = "other" }, "arms"},
		"era":           {func(m *compare.Measured) { m.Arms[0].Eras = []string{"2026-07-28"} }, "era"},
		"plan":          {func(m *compare.Measured) { m.Arms[0].Plan = "x" }, "plan"},
		"virtual users": {func(m *compare.Measured) { m.Arms[0].Load = "64" }, "load"},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := small(t, "base"), small(t, "head")
			c.change(head)
			r := versus(t, base, head, compare.Options{})
			if r.Conclusion != compare.Incomparable || r.ExitCode() != 2 || r.Pairs[0].Grounds[0].Name != c.ground || r.Pairs[0].Arms != nil {
				t.Errorf("%s, grounds %v", r.Conclusion, r.Pairs[0].Grounds)
			}
			want := compare.NoEvidence
			if c.ground == "arms" { // there is no other
				want = compare.NoData
			}
			for _, o := range []compare.Options{{Ignore: []string{c.ground}}, {Force: true}} {
				if r := versus(t, base, head, o); r.Conclusion != want || len(r.Pairs[0].Ignored) != 1 {
					t.Errorf("with %+v: %s, put aside %v", o, r.Conclusion, r.Pairs[0].Ignored)
				}
			}
		})
	}
	_, err := compare.Compare(small(t, "base"), nil, compare.Options{Ignore: []string{"seeds"}})
	if !errors.Is(err, compare.ErrGround) || !strings.Contains(err.Error(), `did you mean "seed"?`) {
		t.Errorf("an unknown ground: %v", err)
	}
}

// What was to be compared is named, and stops nothing.
func TestChanged(t *testing.T) {
	base, head := small(t, "base"), small(t, "head")
	head.Arms[0].Policy, head.Arms[0].Bugs, head.Revision, head.Host.CPUs = "at-most-once", []string{"FM-01"}, "abc", 64
	head.Arms = append(head.Arms, compare.Arm{Name: "extra"})
	head.Arms[0].Rates = slices.DeleteFunc(head.Arms[0].Rates, func(r compare.Rate) bool { return r.Name == "told-unknown" })
	r := versus(t, base, head, compare.Options{})
	all := strings.Join(r.Pairs[0].Changed, "\n")
	for _, want := range []string{"policy of main: settle → at-most-once", "planted bugs of main: none → FM-01", "version: none → abc", "64 CPUs", "arm extra is judged in run head alone, and none of its rates is compared", "told-unknown of main was measured in run base alone"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	if r.Conclusion != compare.NoEvidence {
		t.Errorf("%s: %v", r.Conclusion, r.Reasons)
	}
}

// An arm that only the base judges is a ground against the comparison: what it showed
// is shown no more. Put aside, the other arms are compared.
func TestAnArmIsGone(t *testing.T) {
	base, head := small(t, "base"), small(t, "head")
	gone := base.Arms[0]
	gone.Name = "settled"
	base.Arms = append(base.Arms, gone)
	r := versus(t, base, head, compare.Options{})
	want := []compare.Ground{{Name: "arms", Text: "arm settled is judged in run base alone, and none of its rates can be compared"}}
	if diff := cmp.Diff(want, r.Pairs[0].Grounds); diff != "" || r.Conclusion != compare.Incomparable || r.ExitCode() != 2 {
		t.Errorf("%s: %s", r.Conclusion, diff)
	}
	r = versus(t, base, head, compare.Options{Ignore: []string{"arms"}})
	if r.Conclusion != compare.NoEvidence || len(r.Pairs[0].Arms) != 1 {
		t.Errorf("put aside: %s, arms %+v", r.Conclusion, r.Pairs[0].Arms)
	}
}

// A budget that one arm cannot be held against is not kept because another can.
func TestABudgetOfTwoArms(t *testing.T) {
	base, head := small(t, "base"), small(t, "head")
	for _, m := range []*compare.Measured{base, head} {
		second := m.Arms[0]
		second.Name = "second"
		m.Arms = append(m.Arms, second)
	}
	head.Arms[1].Rates, head.Arms[1].Latencies = nil, nil
	for _, text := range []string{"failed rate +50pp", "mcp_op_duration p50 +1000%"} {
		rule, err := compare.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r := versus(t, base, head, compare.Options{Rules: []compare.Rule{rule}})
		var got []compare.Outcome
		for _, result := range r.Pairs[0].Rules {
			got = append(got, result.Outcome)
		}
		if diff := cmp.Diff([]compare.Outcome{compare.Holds, compare.Unmeasured}, got); diff != "" || r.ExitCode() != 2 {
			t.Errorf("%s: exit code %d, %s", text, r.ExitCode(), diff)
		}
	}
}

// Where runs are too small for a budget, the comparison says how large they would have
// to be, and runs of that size decide it.
func TestAnUndecidedBudgetSaysWhatWouldDecideIt(t *testing.T) {
	rule, err := compare.ParseRule("failed rate +2pp")
	if err != nil {
		t.Fatal(err)
	}
	o := compare.Options{Rules: []compare.Rule{rule}}
	of := func(rollouts, failing int) *compare.Measured {
		m := small(t, "run")
		m.Arms[0].Rollouts = rollouts
		m.Arms[0].Rates = []compare.Rate{{Name: "failed", Unit: "rollouts", Groups: []compare.Group{
			{Of: 1, Times: rollouts - failing}, {Count: 1, Of: 1, Times: failing},
		}}}
		return m
	}
	for name, c := range map[string]struct {
		base, head int // failing of 100
		says       string
		factor     int // that the rollouts must grow by
		then       compare.Outcome
	}{
		"nothing was seen": {0, 0, "about 185 rollouts a run would decide it", 2, compare.Holds},
		"it rose more":     {1, 6, "about 336 rollouts a run would decide it", 4, compare.Broken},
		"it rose as much":  {1, 3, "no number of rollouts would decide it", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := versus(t, of(100, c.base), of(100, c.head), o)
			if got := r.Pairs[0].Rules[0]; got.Outcome != compare.Undecided || !strings.Contains(got.Text, c.says) ||
				r.Conclusion != compare.Unsettled || r.ExitCode() != 2 || len(r.Reasons) != 1 {
				t.Fatalf("%+v, %s, exit code %d: %v", got, r.Conclusion, r.ExitCode(), r.Reasons)
			}
			if c.factor == 0 {
				return
			}
			r = versus(t, of(100*c.factor, c.factor*c.base), of(100*c.factor, c.factor*c.head), o)
			if got := r.Pairs[0].Rules[0]; got.Outcome != c.then {
				t.Errorf("%d times as large: %+v", c.factor, got)
			}
		})
	}
}

// A rate that every rollout has a part in can show something all the same.
func TestEveryRolloutIsTouched(t *testing.T) {
	base, head := small(t, "base"), small(t, "head")
	for m, count := range map[*compare.Measured]int{base: 1, head: 5} {
		for i := range m.Arms[0].Rates {
			if r := &m.Arms[0].Rates[i]; r.Name == "mcp_op_failed" {
				r.Groups = []compare.Group{{Count: count, Of: 6, Times: 32}}
			}
		}
	}
	if c := rateOf(t, versus(t, base, head, compare.Options{}), "mcp_op_failed"); c.Evidence != compare.Rose {
		t.Errorf("1 of 6 in each of 32 rollouts against 5 of 6: %s, p %g", c.Evidence, c.P)
	}
}

func TestSeveralHeadsAreOneFamily(t *testing.T) {
	chance := seed.Root(3).Stream("heads")
	base := world{rollouts: 512, slow: 0.05}.measure(t, "base", chance)
	one := world{rollouts: 512, exactly: 7, slow: 0.05}.measure(t, "one", chance)
	alone, err := compare.Compare(base, []*compare.Measured{one}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	three, err := compare.Compare(base, []*compare.Measured{one, one, one}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if three.Tests != 3*alone.Tests || len(three.Pairs) != 3 {
		t.Errorf("%d tests for three heads, %d for one", three.Tests, alone.Tests)
	}
	a, b := rateOf(t, alone, "failed"), rateOf(t, three, "failed")
	if a.P != b.P || *b.Adjusted <= *a.Adjusted {
		t.Errorf("p %.3g adjusted to %.3g alone and to %.3g of three", a.P, *a.Adjusted, *b.Adjusted)
	}
}

func TestParseRule(t *testing.T) {
	for text, says := range map[string]string{
		"no-spurious-failure rate +0.5pp":         "",
		"failed  rate   +0pp":                     "",
		"mcp_op_duration p99 +20%":                "",
		"mcp_op_duration{tool:respond} p50 +50ms": "",
		"":                               "want 'RATE rate",
		"failed":                         "want 'RATE rate",
		"failed rate 0.5pp":              "want 'RATE rate",
		"failed rate +0.5":               "percentage points",
		"failed rate +5%":                "percentage points",
		"failed rate +-5pp":              "percentage points",
		"failed rate +NaNpp":             "percentage points",
		"faild rate +5pp":                `did you mean "failed"?`,
		"no-spurios-failure rate +5pp":   `did you mean "no-spurious-failure"?`,
		"coverage rate +5pp":             "no rate is called",
		"mcp_op_durations p99 +20%":      `did you mean "mcp_op_duration"?`,
		"mcp_op_duration p98 +20%":       "known: p50, p90, p95, p99",
		"mcp_op_duration{vu:1} p99 +20%": "no latency is called",
		"mcp_op_duration p99 +20":        "by a duration such as +50ms",
		"mcp_op_duration p99 +x%":        "want a rise such as +20%",
	} {
		rule, err := compare.ParseRule(text)
		switch {
		case says == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case says == "" && rule.Rise < 0:
			t.Errorf("%q: %+v", text, rule)
		case says != "" && (!errors.Is(err, compare.ErrRule) || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: %v, want an error that says %q", text, err, says)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	f.Add("failed rate +0.5pp")
	f.Add("mcp_op_duration{kind:turn} p99 +20%")
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := compare.ParseRule(text)
		if (err == nil) != (rule.Rate != "" || rule.Q != 0) && err == nil {
			t.Errorf("%q gives %+v without an error", text, rule)
		}
	})
}

// A measurement that was saved stands in for its run.
func TestSaved(t *testing.T) {
	m := small(t, "base")
	path := filepath.Join(t.TempDir(), "base.json")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := compare.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("saved and read (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(path, []byte(`{"schema": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Open(path); !errors.Is(err, compare.ErrSchema) {
		t.Errorf("a schema to come: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Open(path); err == nil {
		t.Error("half a file was read")
	}
	if _, err := compare.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	if err := m.Save(filepath.Join(path, "below-a-file.json")); err == nil {
		t.Error("saved below a file")
	}
}

// What came over the wire is text in both forms, whatever it looks like.
func TestHostileNames(t *testing.T) {
	base, head := small(t, "base"), small(t, "head")
	nasty := "a|b\x1b[31m<script>`x`\u202e@everyone\nnew"
	for _, m := range []*compare.Measured{base, head} {
		m.Arms[0].Name, m.Run, m.Script = nasty, nasty, nasty
	}
	head.Arms[0].Policy = nasty
	head.Status, head.Reason = history.Inconclusive, "x\nnew http://ann:s3cr3t@host/"
	r := versus(t, base, head, compare.Options{Ignore: []string{"verdict"}})
	var text, markdown bytes.Buffer
	if err := errors.Join(r.Text(&text), r.Markdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for form, out := range map[string]string{"text": text.String(), "Markdown": markdown.String()} {
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("%s holds a control character:\n%q", form, out)
		}
	}
	for _, bad := range []string{"\nnew", "s3cr3t"} {
		if strings.Contains(text.String(), bad) {
			t.Errorf("the text holds %q:\n%s", bad, text.String())
		}
	}
	for _, bad := range []string{"s3cr3t", "<script>", "a|b", "`x`", "@everyone", "\nnew"} {
		if strings.Contains(markdown.String(), bad) {
			t.Errorf("Markdown holds %q", bad)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("as JSON: %v", err)
	}
}

func TestTextSaysWhatWasFound(t *testing.T) {
	chance := seed.Root(5).Stream("text")
	base := world{rollouts: 128, slow: 0.05}.measure(t, "base", chance)
	head := world{rollouts: 128, exactly: 12, slow: 0.05}.measure(t, "head", chance)
	r := versus(t, base, head, compare.Options{})
	var text, markdown bytes.Buffer
	if err := errors.Join(r.Text(&text), r.Markdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"COMPARE: WORSE", "main: failed rose from 0 of 128 to 12 of 128 rollouts (+9.38 pp", "WORSE", "would have been seen", "mcp_op_duration p99"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text does not say %q:\n%s", want, text.String())
		}
	}
	if !strings.Contains(markdown.String(), "| failed | 0 of 128 | 12 of 128 |") {
		t.Errorf("the Markdown has no row of failed:\n%s", markdown.String())
	}
}

// Whatever is called worse or better has an interval on that side of 0; one that was
// found where nothing differs is a false alarm, and TestTheSameThingTwice counts those.
func TestEvidenceAgreesWithItsInterval(t *testing.T) {
	chance := seed.Root(11).Stream("agree")
	found := 0
	for n := range 30 {
		base := world{rollouts: 16 + 8*(n%3), slow: 0.05}
		head := world{rollouts: base.rollouts, failing: 0.1 * float64(n%4), unknown: 0.15 * float64(n%4), slow: 0.05}
		if n%2 == 1 {
			base, head = head, base
		}
		r := versus(t, base.measure(t, "base", chance), head.measure(t, "head", chance), compare.Options{})
		for _, c := range r.Pairs[0].Arms[0].Rates {
			if c.Evidence != compare.None {
				found++
			}
			if (c.Evidence == compare.Rose && c.Low <= 0) || (c.Evidence == compare.Fell && c.High >= 0) {
				t.Errorf("%s %s, p %.3g, with an interval from %.4f to %.4f", c.Name, c.Evidence, *c.Adjusted, c.Low, c.High)
			}
			if held := c.Low <= 0 && c.High >= 0; c.Unit == "operations" && held != (c.P > 0.05) {
				t.Errorf("%s: p %.3g with an interval from %.4f to %.4f", c.Name, c.P, c.Low, c.High)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d changes were found: the test shows nothing", found)
	}
}

// The score test can reject by a hair where Newcombe's interval holds 0.
func TestAHairIsNoEvidence(t *testing.T) {
	of := func(failing int) *compare.Measured {
		m := small(t, "run")
		m.Arms[0].Rates = []compare.Rate{{Name: "failed", Unit: "rollouts", Groups: []compare.Group{
			{Of: 1, Times: 64 - failing}, {Count: 1, Of: 1, Times: failing},
		}}}
		return m
	}
	if c := rateOf(t, versus(t, of(2), of(8), compare.Options{}), "failed"); *c.Adjusted > 0.05 || c.Low > 0 || c.Evidence != compare.None || c.Needed == 0 {
		t.Errorf("%+v", c)
	}
}
