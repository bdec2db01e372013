package history

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// everyRecord has one of each record with every field set, and one with none.
func everyRecord() []any {
	cause, mark := &Cause{Class: "reset", Text: "peer", Status: 502, Code: -32001}, &Mark{Rule: "r01", Cut: "C4", Manner: "rst"}
	return []any{
		Op{},
		Attempt{},
		Rollout{},
		Wire{},
		Fault{},
		Effect{},
		PlanRule{},
		Resource{},
		Sample{},
		Op{
			Arm: "main", Op: "t000017/s02", Rollout: "t000017.1", Server: "sim", Kind: KindTurn, Tool: "respond", Key: "seq:4", Class: Keyed, Policy: "settle",
			Told: ToldUnknown, Deadline: 10_000_000_000, Attempts: 2, Budget: 6, Settled: "voided", Nonce: "ab", Echo: "cd", Knowable: true, Cause: cause,
			Interrupted: true, Start: -5, End: 123456789012345678,
		},
		Attempt{
			Arm: "main", Op: "t000017/s02", Rollout: "t000017.1", Attempt: 2, Exchange: 3, Role: RoleCall, Server: "sim", Era: "2025-11-25", Told: ToldOK,
			Trace: "answered", ConnNew: true, Written: 361, Read: 627, Status: 200, Cause: cause, Mark: mark, Start: 1, End: 2,
		},
		Rollout{
			Arm: "main", Scenario: "rollouts", Task: "t000017", Rollout: "t000017.1", Iteration: 17, VU: 3, Outcome: Failed,
			Cause: &RolloutCause{Op: "t000017/s02", Told: ToldUnknown, Text: "gave up", At: "a.js:3:7"},
			Turns: []Turn{{Op: "t000017/s02", Key: "seq:0", Told: ToldOK, Nonce: "ab"}, {Op: "t000017/s03", Finished: true}}, Ops: 9, Start: 1, End: 2,
		},
		Fault{Arm: "main", Server: "sim", Rule: "r01", Op: "t000017/s02", Attempt: 1, Role: RoleCall, Cut: "C4", Manner: "rst", State: FaultDelivered, Up: 3, At: 9},
		Effect{Arm: "main", Server: "sim", Kind: EffectCommit, N: 12, Rollout: "t000017.1", Key: "seq:4", Sequence: 3, Nonce: "ab", Replayed: true, Reason: "x"},
		PlanRule{Arm: "main", Rule: "r01", On: "sim", Share: 0.15, During: []string{"5s", "25s"}, Attributes: map[string]any{"latency": 200.0}},
		Resource{Arm: "main", Phase: ResourceCycle, Cycle: 3, Counts: map[string]int64{CountSockets: 12}},
	}
}

// scanned reads a line as Open does, and says whether the scanner alone could.
func scanned(line []byte, like any) (record any, alone bool, err error) {
	into := reflect.New(reflect.TypeOf(like))
	if new(scanner).scan(line, shapeOf(into.Type().Elem()), into.UnsafePointer()) {
		return into.Elem().Interface(), true, nil
	}
	into.Elem().SetZero()
	err = decode(line, into.Interface())
	return into.Elem().Interface(), false, err
}

// What is written is read back, and all but the rarest records by the scanner.
func TestScanReadsWhatIsWritten(t *testing.T) {
	for _, record := range everyRecord() {
		line, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		got, alone, err := scanned(line, record)
		if diff := cmp.Diff(record, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
		switch record.(type) {
		case PlanRule, Resource, Sample:
		default:
			if !alone {
				t.Errorf("the scanner does not read %s", line)
			}
		}
	}
}

// A line that is written otherwise is left alone.
func TestScanLeavesAlone(t *testing.T) {
	for name, line := range map[string]string{
		"a space":          `{"arm": "main"}`,
		"an escape":        `{"arm":"ma\u003cin"}`,
		"beyond ASCII":     `{"arm":"mäin"}`,
		"a control":        "{\"arm\":\"ma\tin\"}",
		"another order":    `{"op":"t000017/s02","arm":"main"}`,
		"a field twice":    `{"arm":"main","arm":"other"}`,
		"an unknown field": `{"arm":"main","armed":true}`,
		"another case":     `{"ARM":"main"}`,
		"null":             `{"arm":null}`,
		"a fraction":       `{"deadline_ns":1.5}`,
		"an exponent":      `{"deadline_ns":1e3}`,
		"a leading zero":   `{"deadline_ns":01}`,
		"too many digits":  `{"deadline_ns":1234567890123456789}`,
		"no number":        `{"deadline_ns":-}`,
		"more behind it":   `{"arm":"main"} `,
		"no end":           `{"arm":"main"`,
		"no value":         `{"arm":`,
		"no object":        `[]`,
		"nothing":          ``,
		"a comma too many": `{"arm":"main",}`,
		"another type":     `{"arm":7}`,
	} {
		var op Op
		if new(scanner).scan([]byte(line), shapeOf(reflect.TypeFor[Op]()), unsafe.Pointer(&op)) {
			t.Errorf("%s: %s was read as %+v", name, line, op)
		}
	}
}

// FuzzScan proves that whatever the scanner takes, it takes as the standard decoder
// does.
func FuzzScan(f *testing.F) {
	for _, record := range everyRecord() {
		line, err := json.Marshal(record)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	records := []any{Op{}, Attempt{}, Rollout{}, Wire{}, Fault{}, Effect{}}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, like := range records {
			got, alone, _ := scanned(line, like)
			if !alone {
				continue
			}
			want := reflect.New(reflect.TypeOf(like))
			if err := json.Unmarshal(line, want.Interface()); err != nil {
				t.Fatalf("%q is no line: %v", line, err)
			}
			if diff := cmp.Diff(want.Elem().Interface(), got); diff != "" {
				t.Errorf("%q: %s", line, diff)
			}
		}
	})
}

// Equal texts become one string, and no text changes when others follow.
func TestPool(t *testing.T) {
	var p pool
	long := make([]byte, slabSize+1)
	for i := range long {
		long[i] = 'x'
	}
	var texts []string
	for i := range 20_000 {
		texts = append(texts, p.text([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26)}, ""))
	}
	if p.text(long, "") != string(long) || p.text(nil, "x") != "" || p.text([]byte("x"), "x") != "x" {
		t.Error("a text is not what it was made of")
	}
	for i, text := range texts {
		if text != string([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26)}) {
			t.Fatalf("text %d is %q", i, text)
		}
	}
}
