package client

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// The ways in which an operation can be settled, as history.Op.Settled has them.
const (
	settledResult = "result"
	settledVoided = "voided"
)

// learnFate asks the server what became of the call. It ends the operation when
// its result came back, or when nothing could be learnt.
func (w *wanted) learnFate(ctx context.Context, result *Result) (over bool) {
	fates := w.client.options.Fates
	op := textArgument(w.call.Arguments, fates.OpArgument)
	tool, role := fates.Settle, history.RoleSettle
	if w.client.options.Policy.Unknown == LookUpUnknown {
		tool, role = fates.LookUp, history.RoleLookup
	}
	if tool == "" || op == "" {
		return true // the server cannot be asked: the operation stays unknown
	}
	answer := w.ask(ctx, tool, role, fates.OpArgument, op)
	if answer.Told != history.ToldOK {
		return true
	}
	return w.heed(answer.Tool, result)
}

// ask calls the tool that tells a fate. It may be called again at will, so it is
// retried like any idempotent tool.
func (w *wanted) ask(ctx context.Context, tool string, role history.ExchangeRole, argument, op string) Result {
	arguments, err := json.Marshal(map[string]string{argument: op})
	if err != nil {
		return Result{Told: history.ToldUnknown}
	}
	question := &wanted{
		client: w.client, step: w.step + "." + string(role), role: role, offset: w.asked,
		call: wire.ToolCall{Name: tool, Arguments: arguments},
	}
	answer := w.client.run(ctx, question.step, history.Idempotent, question.try, nil)
	w.asked += answer.Attempts
	return answer
}

// fateAnswer is what settle and lookup return.
type fateAnswer struct {
	State   string            `json:"state"` // settle: done or voided
	Found   bool              `json:"found"` // lookup
	Results []json.RawMessage `json:"results"`
}

// heed acts on an answer: a result ends the operation; a voided one may go out
// again under another id, and one that was not found goes out as it was.
func (w *wanted) heed(tool *wire.ToolResult, result *Result) (over bool) {
	var f fateAnswer
	if json.Unmarshal([]byte(tool.Text()), &f) != nil {
		return true
	}
	switch {
	case len(f.Results) > 0:
		result.Told, result.Settled, result.Cause = history.ToldOK, settledResult, nil
		result.Tool = &wire.ToolResult{
			Content:           []wire.Content{{Type: "text", Text: string(f.Results[0])}},
			StructuredContent: f.Results[0],
		}
		return true
	case f.State == settledVoided:
		w.generation++
		w.call.Arguments = w.renamed()
		// It is known now that it did not run, and that it never will.
		result.Told, result.Settled = history.ToldNotExecuted, settledVoided
		return false
	}
	return w.client.options.Policy.Unknown != LookUpUnknown || f.Found
}

// renamed is the call's arguments under the operation id of this generation:
// t000017/s02 is followed by t000017/s02#2.
func (w *wanted) renamed() json.RawMessage {
	argument := w.client.options.Fates.OpArgument
	var fields map[string]json.RawMessage
	if json.Unmarshal(w.call.Arguments, &fields) != nil {
		return w.call.Arguments
	}
	base, _ := wire.SplitGeneration(textArgument(w.call.Arguments, argument))
	fields[argument], _ = json.Marshal(fmt.Sprintf("%s#%d", base, w.generation)) // a string always encodes
	renamed, err := json.Marshal(fields)
	if err != nil {
		return w.call.Arguments
	}
	return renamed
}

func textArgument(arguments json.RawMessage, name string) string {
	var fields map[string]json.RawMessage
	var text string
	if name == "" || json.Unmarshal(arguments, &fields) != nil || json.Unmarshal(fields[name], &text) != nil {
		return ""
	}
	return text
}
