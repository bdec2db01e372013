package xk6mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grafana/sobek"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// respondTool is the one tool of a user simulator.
const respondTool = "respond"

// turns is where a conversation with a user simulator stands. A turn's key is
// the position in the prompt at which its messages go, the assistant's message
// before it included, so that the opening's key is zero and no later turn's is
// (verifiers 0.2.1, interception server).
type turns struct {
	position int
	opened   bool
}

// next is the position that a turn with this message would take.
func (t *turns) next(message string) int {
	if !t.opened && message == "" {
		return t.position
	}
	return t.position + 1
}

// took notes that the turn at a position brought some messages.
func (t *turns) took(position, messages int) {
	t.opened = true
	t.position = position + messages
}

// payload is what a user simulator returns. Real consumers read only messages.
type payload struct {
	Messages []message `json:"messages"`
	Nonce    string    `json:"nonce"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// text is the message's content: a string, or the text of its parts.
func (m message) text() string {
	var whole string
	if json.Unmarshal(m.Content, &whole) == nil {
		return whole
	}
	var parts []wire.Content
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	return (&wire.ToolResult{Content: parts}).Text()
}

// badPayload is why a rollout fails whose simulator answered something that is no
// turn. It is not asked again: the turn was taken (verifiers pull request 2062).
const badPayload = `the simulator's answer to %s is no {"messages": […]}: %.80q`

// respond is connection.respond(message, {deadline, tags}): it takes the next user turn.
func (c *connection) respond(call sobek.FunctionCall) sobek.Value {
	u := c.user
	c.usable()
	options := u.optionsOf("respond's options", call.Argument(1), toolOptions...)
	said := ""
	if given := call.Argument(0); !sobek.IsUndefined(given) && !sobek.IsNull(given) {
		said = given.String()
	}
	position := c.turns.next(said)
	arguments, err := json.Marshal(map[string]any{"message": said, "seq": position})
	if err != nil {
		u.vu.Throw(err, "", nil)
	}
	wanted := wire.ToolCall{Name: respondTool, Arguments: arguments}
	w := c.operate(c.tool(history.KindTurn, wanted, options))
	result, record := w.result, w.record
	turn := history.Turn{Op: record.Op, Key: record.Key, Told: record.Told}
	defer func() { c.rollout.record.Turns = append(c.rollout.record.Turns, turn) }()
	u.throwUnlessAnswered(record)
	if result.Tool.IsError {
		return u.turnObject(payload{}, result.Tool)
	}
	var p payload
	if json.Unmarshal([]byte(result.Tool.Text()), &p) != nil || p.Messages == nil {
		reason := fmt.Sprintf(badPayload, record.Op, u.secrets.Redact(result.Tool.Text()))
		u.vu.Throw(&failError{reason}, "RolloutFailed", nil)
	}
	turn.Nonce, turn.Finished = u.secrets.Redact(p.Nonce), len(p.Messages) == 0
	c.turns.took(position, len(p.Messages))
	return u.turnObject(p, result.Tool)
}

// turnObject is a turn as the script sees it. An empty message list ends the
// conversation; so does an error of the simulator, for it brought no message.
func (u *virtualUser) turnObject(p payload, tool *wire.ToolResult) sobek.Value {
	texts := make([]string, 0, len(p.Messages))
	messages := make([]any, 0, len(p.Messages))
	for _, m := range p.Messages {
		texts = append(texts, m.text())
		messages = append(messages, map[string]any{"role": m.Role, "content": m.text()})
	}
	text := strings.Join(texts, "\n")
	if tool.IsError {
		text = tool.Text()
	}
	return u.vu.Value("turn", map[string]any{
		"text":     text,
		"messages": messages,
		"finished": len(messages) == 0,
		"isError":  tool.IsError,
		"nonce":    p.Nonce,
	})
}
