package ledger

import (
	"encoding/json"
	"fmt"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
)

// call is one call of a tool.
type call struct {
	tool  tool
	steps refserver.Steps

	op         string
	nonce      string // to be carried back; empty: none
	text       string // append
	key, value string // put and get
	keyed      bool   // get: a key was given
}

// parse reads the arguments of a call. With an error, the call can still be
// recorded.
func (b *book) parse(t tool, raw json.RawMessage) (call, error) {
	name := t.spec.Name
	c := call{tool: t, steps: b.server.Effects.Steps(history.Effect{
		Rollout: b.rollout, Key: keys.Key(name, raw), Tool: name, Digest: refserver.DigestArguments(name, raw),
	})}
	if b.server.Config.Durable && (t.mutates || name == settleName) {
		c.steps = c.steps.Keep(raw)
	}
	arguments, err := refserver.ParseArguments(raw)
	if err != nil {
		return c, err
	}
	if c.op, err = arguments.Text("op"); err != nil {
		return c, err
	}
	if c.op == "" {
		return c, fmt.Errorf("%w: op: must not be empty", refserver.ErrArgument)
	}
	if c.nonce, _, err = arguments.Optional("nonce"); err != nil {
		return c, err
	}
	return c, c.parseOwn(arguments)
}

// parseOwn reads the arguments that not every tool has.
func (c *call) parseOwn(arguments refserver.Arguments) (err error) {
	switch c.tool.spec.Name {
	case appendName:
		c.text, err = arguments.Text("text")
	case putName:
		if c.key, err = arguments.Text("key"); err == nil {
			c.value, err = arguments.Text("value")
		}
	case getName:
		c.key, c.keyed, err = arguments.Optional("key")
	}
	return err
}
