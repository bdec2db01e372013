package chart_test

import (
	"errors"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
)

func TestNights(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, 1, 2, 17, 0, 0, time.UTC).AddDate(0, 0, n) }
	var many []chart.Night
	for n := range 34 {
		for i, name := range []string{"user-turns 2025-11-25", "user-turns 2026-07-28", "mutations 2025-11-25"} {
			status := history.Pass
			switch {
			case n == 30 && i == 2:
				status = history.Fail
			case n == 12 && i == 0:
				status = history.Inconclusive
			}
			if n != 20 || i != 1 {
				many = append(many, chart.Night{Name: name, Wall: day(n), Status: status, Failed: history.Interval{Count: 7 * i, Of: 512}})
			}
		}
	}
	bad := append(many[:len(many):len(many)], chart.Night{Name: "mutations 2025-11-25", Wall: day(33).Add(time.Hour), Status: history.Fail, Failed: rate(1, 64)})
	one := []chart.Night{{Name: "user-turns", Wall: day(0), Status: history.Inconclusive}}
	for _, c := range []struct {
		name  string
		list  []chart.Night
		title string
		says  []string
	}{
		{"thirty of more", many, "87 of 89 runs in 30 nights passed; all of the last night did", []string{"29 of 30 passed", "29 of 29 passed", "2026-11-05", "2026-12-04", "14"}},
		{"the last run of a night counts", bad, "86 of 89 runs in 30 nights passed; last night mutations 2025-11-25 failed", []string{"28 of 30 passed"}},
		{"one", one, "0 of 1 run in 1 night passed; last night user-turns was inconclusive", []string{"0 of 1 passed", "2026-11-01"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := chart.Nights(c.list, "mcpstorm nightly")
			if err != nil {
				t.Fatal(err)
			}
			if f.Title() != c.title {
				t.Errorf("title\n got %q\nwant %q", f.Title(), c.title)
			}
			d := read(t, f)
			d.checkTexts(t)
			for _, text := range append(c.says, c.title, "mcpstorm nightly") {
				if !d.says(text) {
					t.Errorf("no text says %q", text)
				}
			}
		})
	}
	if _, err := chart.Nights(nil, ""); !errors.Is(err, chart.ErrNoNights) {
		t.Errorf("no nights: %v", err)
	}
	if paths, err := chart.WriteNights(many, "mcpstorm nightly", t.TempDir()); err != nil || len(paths) != 2 {
		t.Errorf("wrote %v, %v", paths, err)
	}
}
