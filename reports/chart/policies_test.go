package chart_test

import (
	"errors"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
	"mcpstorm/reports/stats"
)

func rate(n, of int) history.Interval {
	i := stats.ClopperPearson(n, of)
	return history.Interval{Count: n, Of: of, Rate: float64(n) / float64(of), Low: i.Low, High: i.High}
}

// policy is a row of 512 rollouts in which every failure was spurious.
func policy(name string, failed, replays int) chart.PolicyRow {
	return chart.PolicyRow{Name: name, Of: 512, Failed: rate(failed, 512), SpuriousFailed: rate(failed, 512), Replays: rate(replays, 3584)}
}

func TestPolicies(t *testing.T) {
	genuine := policy("settle", 0, 0)
	genuine.Failed = rate(7, 512)
	for _, c := range []struct {
		name  string
		rows  []chart.PolicyRow
		title string
		says  []string
	}{
		{
			"before and after",
			[]chart.PolicyRow{policy("verifiers-0.2.0", 311, 0), policy("at-most-once", 190, 0), policy("at-least-once", 0, 143), policy("verifiers-2134", 88, 0), policy("settle", 0, 0)},
			"settle: 0 of 512 rollouts failed and 0 replays; at-least-once replayed 143 appends",
			[]string{"verifiers-0.2.0", "verifiers-2134", "Rollouts that failed spuriously", "Appends executed twice or more", "311", "56% to 65%", "below 0.72%"},
		},
		{"one policy", []chart.PolicyRow{policy("settle", 1, 1)}, "settle: 1 of 512 rollouts failed and 1 replay", nil},
		{"nobody replays", []chart.PolicyRow{policy("a", 12, 0), policy("b", 0, 0)}, "b: 0 of 512 rollouts failed and 0 replays; a failed 12 of 512", nil},
		{"all the same", []chart.PolicyRow{policy("a", 0, 0), policy("b", 0, 0)}, "a: 0 of 512 rollouts failed and 0 replays", nil},
		{"all of them fail", []chart.PolicyRow{policy("a", 512, 3584)}, "a: 512 of 512 rollouts failed and 3,584 replays", []string{"above 99.3%", "100%"}},
		{"genuine failures", []chart.PolicyRow{genuine}, "settle: 0 of 512 rollouts failed spuriously and 0 replays", nil},
		{
			"not measured",
			[]chart.PolicyRow{{Name: "a policy with a name that is far too long for its place", Of: 3, SpuriousFailed: rate(0, 3)}, policy("settle", 0, 0)},
			"settle: 0 of 512 rollouts failed and 0 replays",
			[]string{"not measured", "3 to 512 rollouts a policy", "…"},
		},
		{
			"a title of two lines",
			[]chart.PolicyRow{policy("the-policy-that-settles-unknowns", 0, 0), policy("the-policy-that-sends-everything-again", 0, 1431)},
			"the-policy-that-settles-unknowns: 0 of 512 rollouts failed and 0 replays; the-policy-that-sends-everything-again replayed 1,431 appends",
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := chart.Options{Replayed: "appends", Provenance: "run r1 · seed 42"}
			f, err := chart.Policies(c.rows, o)
			if err != nil {
				t.Fatal(err)
			}
			if f.Title() != c.title {
				t.Errorf("title\n got %q\nwant %q", f.Title(), c.title)
			}
			d := read(t, f)
			d.checkTexts(t)
			for _, text := range append(c.says, c.title, o.Provenance, "95% intervals") {
				if !d.says(text) {
					t.Errorf("no text says %q", text)
				}
			}
			again, err := chart.Policies(c.rows, o)
			if err != nil {
				t.Fatal(err)
			}
			sameSVG(t, f, again)
			if c.name == "before and after" {
				checkPNG(t, f, again, 1440, int(d.height/72*160+0.5))
			}
		})
	}
	if _, err := chart.Policies(nil, chart.Options{}); !errors.Is(err, chart.ErrNoRows) {
		t.Errorf("no rows: got %v", err)
	}
}
