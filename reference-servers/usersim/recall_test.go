package usersim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

// TestRecall opens a second simulator with what the first recorded: a repeat gets its
// turn, another message under a used number is refused, and the next turn is the next.
func TestRecall(t *testing.T) {
	var record servertest.Effects
	first := start(t, refserver.Config{Durable: true, Effects: &record})
	const rollout = "t000001.1"
	first.turn(t, rollout, `{"message":"","seq":0}`)
	taken := first.turn(t, rollout, `{"message":"done","seq":1}`)

	second := start(t, refserver.Config{Durable: true, Past: record.List()})
	if diff := cmp.Diff(taken, second.turn(t, rollout, `{"message":"done","seq":1}`)); diff != "" {
		t.Errorf("the repeat (-before +after)\n%s", diff)
	}
	if result := second.respond(t, rollout, `{"message":"other","seq":1}`); !result.IsError {
		t.Errorf("another message under a used number got %+v", result)
	}
	next := second.turn(t, rollout, `{"message":"done","seq":2}`)
	if diff := cmp.Diff(first.turn(t, rollout, `{"message":"done","seq":2}`), next); diff != "" {
		t.Errorf("the next turn (-first server +second)\n%s", diff)
	}
}
