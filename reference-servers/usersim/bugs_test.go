package usersim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reference-servers/usersim"
)

func planted(bug string) refserver.Config { return refserver.Config{Bugs: []string{bug}} }

func TestKind(t *testing.T) {
	k, err := all.Servers().Lookup("usersim")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"FM-01", "FM-04", "FM-05", "FM-07", "FM-26a", "FM-26b", "TWO-CUTS"}, k.BugIDs()); diff != "" {
		t.Error(diff)
	}
	if class := usersim.Kind().Classes["respond"]; class != history.Keyed {
		t.Errorf("replay class %q", class)
	}
}

func TestFM01NoReplayLog(t *testing.T) {
	s := start(t, planted("FM-01"))
	first, again := s.turn(t, "t000001.1", `{"message":"a","seq":0}`), s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	if first.Nonce == again.Nonce || first.Messages[0].Content == again.Messages[0].Content {
		t.Errorf("a repeat was served: %+v, %+v", first, again)
	}
	want := []string{"begin seq:0", "commit seq:0 #1", "answer seq:0", "begin seq:0", "commit seq:0 #2", "answer seq:0"}
	if diff := cmp.Diff(want, s.Brief()); diff != "" {
		t.Error(diff)
	}
}

func TestFM04NoLock(t *testing.T) {
	s, results := overlap(t, planted("FM-04"), 2)
	if read(t, results[0]).Nonce == read(t, results[1]).Nonce {
		t.Error("two repeats in flight got the same turn")
	}
	if n := s.Count(history.EffectCommit); n != 2 {
		t.Errorf("%d commits", n)
	}
	// One after the other is what this bug gets right.
	s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	if n := s.Count(history.EffectCommit); n != 2 {
		t.Errorf("%d commits after a late repeat", n)
	}
}

func TestFM26bDepthOneLog(t *testing.T) {
	s := start(t, planted("FM-26b"))
	s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	s.turn(t, "t000001.1", `{"message":"b","seq":1}`)
	if n := s.Count(history.EffectCommit); n != 2 {
		t.Errorf("%d commits: the last turn is remembered", n)
	}
	s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	if n := s.Count(history.EffectCommit); n != 3 {
		t.Errorf("%d commits: a late repeat of an older turn takes another", n)
	}
}

func TestTwoCutsOneRepeat(t *testing.T) {
	s := start(t, planted("TWO-CUTS"))
	for range 2 {
		s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	}
	if n := s.Count(history.EffectCommit); n != 1 {
		t.Errorf("%d commits: the first repeat is served", n)
	}
	s.turn(t, "t000001.1", `{"message":"a","seq":0}`)
	if n := s.Count(history.EffectCommit); n != 2 {
		t.Errorf("%d commits: the second repeat takes another turn", n)
	}
}
