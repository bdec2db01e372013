// Package wire is the shape of MCP over HTTP/1.1 as every part of mcpstorm
// reads it: JSON-RPC messages, server-sent events, HTTP framing, and the
// identity by which records of different observers are joined. It imports
// nothing else of ours and keeps no state between calls, except the incremental
// parsers, each of which belongs to one stream.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OpHeader names the operation and attempt that an HTTP request serves. It is a
// hint for the fault layer and never an identity for judging.
const OpHeader = "Mcpstorm-Op"

// ErrOpRef says that a text is not an operation reference.
var ErrOpRef = errors.New("wire: not an operation reference")

// OpRef names one attempt at one operation: t000017.1/s02/a1 is the first
// attempt at the second call of the first rollout of task 17.
type OpRef struct {
	Task    string // t000017
	Restart int    // the rollout's number within its task, from 1
	Step    string // s02, or s02.settle for work that the client adds
	Attempt int    // from 1
}

// String is the form that the header carries.
func (r OpRef) String() string {
	return r.Task + "." + strconv.Itoa(r.Restart) + "/" + r.Step + "/a" + strconv.Itoa(r.Attempt)
}

// Rollout is the rollout's id, t000017.1.
func (r OpRef) Rollout() string { return r.Task + "." + strconv.Itoa(r.Restart) }

// Op is the operation's id, t000017/s02: the same for every rollout of a task,
// so that a replay across a restart is still seen.
func (r OpRef) Op() string { return r.Task + "/" + r.Step }

// ParseOpRef reads the form that String writes. Its error wraps ErrOpRef.
func ParseOpRef(s string) (OpRef, error) {
	if r, ok := parseOpRef(s); ok {
		return r, nil
	}
	return OpRef{}, fmt.Errorf("%w: %q", ErrOpRef, s)
}

func parseOpRef(s string) (OpRef, bool) {
	rollout, rest, _ := strings.Cut(s, "/")
	step, try, _ := strings.Cut(rest, "/")
	task, restart, _ := strings.Cut(rollout, ".")
	number, isTask := strings.CutPrefix(task, "t")
	attempt, isAttempt := strings.CutPrefix(try, "a")
	if !isTask || !isAttempt || len(step) < 2 || step[0] != 's' {
		return OpRef{}, false
	}
	if _, err := strconv.ParseUint(number, 10, 63); err != nil {
		return OpRef{}, false
	}
	r := OpRef{Task: task, Step: step}
	var okRestart, okAttempt bool
	r.Restart, okRestart = ordinal(restart)
	r.Attempt, okAttempt = ordinal(attempt)
	return r, okRestart && okAttempt
}

// ordinal reads a number from 1.
func ordinal(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1
}

// BlockSize is how many task numbers one (arm, scenario) owns.
const BlockSize = 1_000_000

// TaskID names the task of one iteration of the scenario that owns a block.
func TaskID(block int, iteration int64) string {
	return fmt.Sprintf("t%06d", int64(block)*BlockSize+iteration)
}

// SplitTask is the inverse of TaskID.
func SplitTask(task string) (block int, iteration int64, err error) {
	if len(task) < 2 || task[0] != 't' {
		return 0, 0, fmt.Errorf("wire: not a task: %q", task)
	}
	n, err := strconv.ParseInt(task[1:], 10, 64)
	if err != nil || n < 0 {
		return 0, 0, fmt.Errorf("wire: not a task: %q", task)
	}
	return int(n / BlockSize), n % BlockSize, nil
}

// StepID names the n-th call that a script makes on a rollout, from 1.
func StepID(n int) string { return fmt.Sprintf("s%02d", n) }

// SplitGeneration takes the generation off an operation id or key: an operation
// that was voided goes out again as t000017/s02#2, and is still the same one.
func SplitGeneration(op string) (base string, generation int) {
	base, suffix, ok := strings.Cut(op, "#")
	n, err := strconv.Atoi(suffix)
	if !ok || err != nil || n < 1 {
		return op, 1
	}
	return base, n
}

// RolloutPath is the URL path of one rollout's endpoint: /r/t000017.1/mcp.
func RolloutPath(rollout string) string { return "/r/" + rollout + "/mcp" }

// RolloutFromPath is the inverse of RolloutPath.
func RolloutFromPath(path string) (rollout string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/r/")
	if !ok {
		return "", false
	}
	rollout, ok = strings.CutSuffix(rest, "/mcp")
	return rollout, ok && rollout != "" && !strings.Contains(rollout, "/")
}

// KeyRule says which argument of a server's tools names an operation.
type KeyRule struct {
	SeqArgument string // an integer of zero or more here gives seq:N
	OpArgument  string // a non-empty string here gives arg:VALUE
	// About lists the tools whose OpArgument names another operation, such as
	// settle and lookup: their own key is TOOL:VALUE, and never that operation's.
	About []string
}

// Key is the name of a tool call within its (server, rollout): seq:N, else
// arg:VALUE, else args:DIGEST, where calls that only a digest tells apart must
// be judged together.
func (k KeyRule) Key(tool string, arguments json.RawMessage) string {
	var seq, op []byte
	if !members(arguments, func(name, value []byte) bool {
		if string(name) == k.SeqArgument {
			seq = value
		}
		if string(name) == k.OpArgument {
			op = value
		}
		return true
	}) {
		seq, op = nil, nil
	}
	if k.SeqArgument != "" && seq != nil {
		if n, err := strconv.ParseInt(string(seq), 10, 64); err == nil && n >= 0 {
			return "seq:" + strconv.FormatInt(n, 10)
		}
	}
	var value string
	if k.OpArgument != "" && takeText(&value, op) && value != "" {
		return k.prefix(tool) + value
	}
	return "args:" + Digest(tool, canonical(arguments))
}

func (k KeyRule) prefix(tool string) string {
	if slices.Contains(k.About, tool) {
		return tool + ":"
	}
	return "arg:"
}

// Digest is a short stable digest of some texts: 16 hexadecimal digits.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// canonical writes JSON compactly with sorted object keys; what is no JSON stays
// as it is.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}
