package plan_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mcpstorm/toxics/plan"
)

func TestDetail(t *testing.T) {
	tests := []struct {
		name, cut, manner string
		detail            plan.Detail
		ok                bool
	}{
		{"nothing said", plan.C4, plan.RST, plan.Detail{}, true},
		{"a manner that does not go with its cut", plan.C2, plan.Status, plan.Detail{Code: 500}, false},
		{"a late part", plan.C6, plan.Late, plan.Detail{For: time.Second}, false},
		{"a late C3", plan.C3, plan.Late, plan.Detail{For: time.Second}, false},
		{"an unknown cut", "C9", plan.RST, plan.Detail{}, false},
		{"a refusal by a status", plan.C0, plan.Status, plan.Detail{Code: 503}, false},
		{"a status", plan.C3, plan.Status, plan.Detail{Code: 504}, true},
		{"a status without a code", plan.C1, plan.Status, plan.Detail{}, false},
		{"an unknown code", plan.C1, plan.Status, plan.Detail{Code: 418}, false},
		{"a code without a status", plan.C1, plan.RST, plan.Detail{Code: 500}, false},
		{"come back later", plan.C1, plan.Status, plan.Detail{Code: 429, RetryAfter: time.Second}, true},
		{"come back in part of a second", plan.C1, plan.Status, plan.Detail{Code: 429, RetryAfter: time.Millisecond}, false},
		{"come back to a gateway", plan.C1, plan.Status, plan.Detail{Code: 502, RetryAfter: time.Second}, false},
		{"a redirect", plan.C4, plan.Status, plan.Detail{Code: 307, Location: "/x"}, true},
		{"an error that redirects", plan.C4, plan.Status, plan.Detail{Code: 500, Location: "/x"}, false},
		{"one leg", plan.C3, plan.FIN, plan.Detail{Leg: plan.ClientLeg, For: time.Second}, true},
		{"no leg", plan.C3, plan.FIN, plan.Detail{Leg: "left"}, false},
		{"a leg of a hold", plan.C3, plan.Hold, plan.Detail{Leg: plan.ClientLeg}, false},
		{"a leg of what is no connection", plan.C0, plan.RST, plan.Detail{Leg: plan.ClientLeg}, false},
		{"one way of the answer", plan.C5, plan.Hold, plan.Detail{Way: plan.WayDown}, true},
		{"the wrong way of the answer", plan.C5, plan.Hold, plan.Detail{Way: plan.WayUp}, false},
		{"one way of the request", plan.C2, plan.Hold, plan.Detail{Way: plan.WayUp, For: time.Second}, true},
		{"the wrong way of the request", plan.C2, plan.Hold, plan.Detail{Way: plan.WayDown}, false},
		{"no way", plan.C2, plan.Hold, plan.Detail{Way: "out"}, false},
		{"a way of a reset", plan.C2, plan.RST, plan.Detail{Way: plan.WayUp}, false},
		{"late", plan.C8, plan.Late, plan.Detail{For: time.Second}, true},
		{"late by nothing", plan.C8, plan.Late, plan.Detail{}, false},
		{"before its time", plan.C8, plan.Hold, plan.Detail{For: -1}, false},
		{"a reset that lasts", plan.C8, plan.RST, plan.Detail{For: time.Second}, false},
		{"a burst that holds", plan.CutBurst, plan.Hold, plan.Detail{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.detail.Check(tt.cut, tt.manner)
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, plan.ErrRule) {
				t.Errorf("%v, want it to fit: %v", err, tt.ok)
			}
		})
	}
}

func TestMannersOf(t *testing.T) {
	for _, cut := range []string{plan.C0, plan.C1, plan.C2, plan.C3, plan.C3w, plan.C4, plan.C5, plan.C6, plan.C7, plan.C8, plan.CutBurst} {
		got := plan.MannersOf(cut)
		if !slices.Contains(got, plan.FIN) || !slices.Contains(got, plan.RST) || !slices.Contains(got, plan.Hold) {
			t.Errorf("%s: %v", cut, got)
		}
		got[0] = "changed"
		if plan.MannersOf(cut)[0] == "changed" {
			t.Fatal("the slice is shared")
		}
	}
}
