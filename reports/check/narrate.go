package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
)

// stepOf is the part of an operation's id after its task: s03.
func stepOf(op string) string {
	_, step, ok := strings.Cut(op, "/")
	if !ok {
		return op
	}
	return step
}

// opText names an operation and what it was told: s03 turn on sim (seq:4).
func opText(op *history.Op) string {
	var b strings.Builder
	b.WriteString(stepOf(op.Op) + " " + string(op.Kind))
	if op.Tool != "" {
		b.WriteString(" " + op.Tool)
	}
	b.WriteString(" on " + op.Server)
	if op.Key != "" {
		b.WriteString(" (" + op.Key + ")")
	}
	if op.Class != "" {
		b.WriteString(", " + string(op.Class))
	}
	return b.String()
}

// toldText is how an operation ended.
func toldText(op *history.Op) string {
	text := fmt.Sprintf("told %s after %s in %s", op.Told, number(op.Attempts, "attempt"), elapsed(op.Start, op.End))
	if op.Settled != "" {
		text += ", settled: " + op.Settled
	}
	if op.Interrupted {
		text += ", interrupted"
	}
	if op.Cause != nil {
		text += "; " + causeText(op.Cause)
	}
	return text
}

func causeText(c *history.Cause) string {
	text := c.Class
	if c.Status != 0 {
		text += fmt.Sprintf(" %d", c.Status)
	}
	if c.Code != 0 {
		text += fmt.Sprintf(" %d", c.Code)
	}
	if c.Text != "" && c.Text != c.Class {
		text += " (" + c.Text + ")"
	}
	return text
}

// attemptText is what the client saw of one exchange.
func attemptText(at *history.Attempt) string {
	text := fmt.Sprintf("wrote %d and read %d bytes", at.Written, at.Read)
	if at.Trace == "dial_failed" {
		text = "could not connect"
	}
	if at.Status != 0 {
		text += fmt.Sprintf(", HTTP %d", at.Status)
	}
	if at.Cause != nil {
		text += ", " + causeText(at.Cause)
	}
	return text + ": " + string(at.Told)
}

// faultText is what a fault did to one exchange.
func faultText(f *history.Fault) string {
	name := strings.TrimSpace(f.Cut + " " + f.Manner)
	switch f.State {
	case history.FaultDelivered:
		if f.Cut == cutKill {
			return killText(f)
		}
		return fmt.Sprintf("cut %s after %d bytes up and %d down", name, f.Up, f.Down)
	case history.FaultUnarmed:
		return fmt.Sprintf("%s was marked outside its window", name)
	case history.FaultInstalled:
		text := fmt.Sprintf("toxic %s was installed", f.Toxic)
		if f.Reason != "" {
			text += ", acting " + f.Reason // its window
		}
		return text
	}
	if f.Reason == "" {
		return fmt.Sprintf("%s was not delivered, for no recorded reason", name)
	}
	return fmt.Sprintf("%s was not delivered: %s", name, f.Reason)
}

// killText is what the end of its server's process did to one exchange.
func killText(f *history.Fault) string {
	switch {
	case ofServer(f):
		return "the server was killed"
	case f.Reason == "":
		return "the server was killed once its result had been seen, and not a byte of it was given"
	case f.Conn == 0:
		return f.Reason + ", and the dial was refused"
	}
	return fmt.Sprintf("%s, after %d bytes up and %d down", f.Reason, f.Up, f.Down)
}

// wireText is what the witness at the server's end saw of one exchange.
func wireText(w *history.Wire) string {
	text := fmt.Sprintf("handed over only %d bytes of it", w.Up)
	if w.Handed {
		text = "handed over whole"
	}
	switch {
	case w.Result == history.ResultNone || w.Result == "":
		return text + ", no whole answer seen"
	case w.Status != 0:
		return fmt.Sprintf("%s, answer seen: %s (HTTP %d)", text, w.Result, w.Status)
	}
	return fmt.Sprintf("%s, answer seen: %s", text, w.Result)
}

// leftText is what the witness saw after the client had left. Its times are lower bounds.
func leftText(l *history.Left) string {
	text := fmt.Sprintf("the client left (%s) before the answer was whole; %s came after that", l.Manner, number(int(l.Bytes), "byte"))
	if l.Message > 0 {
		text += fmt.Sprintf(", with a message %s after it or later", elapsed(0, history.Instant(l.Message)))
	}
	if l.Ended {
		return text + ", and the server ended its side"
	}
	return fmt.Sprintf("%s, heard for %s", text, elapsed(0, history.Instant(l.Watched)))
}

// effectText is one step of an execution as the server recorded it.
func effectText(e *history.Effect) string {
	nonce := ""
	if e.Nonce != "" {
		nonce = ", nonce " + short(e.Nonce)
	}
	switch e.Kind {
	case history.EffectBegin:
		return fmt.Sprintf("%s began %s", e.Server, e.Key)
	case history.EffectCommit:
		switch {
		case strings.HasPrefix(e.Key, "seq:"):
			return fmt.Sprintf("%s advanced to turn %d for %s%s", e.Server, e.Sequence, e.Key, nonce)
		case e.Sequence > 0:
			return fmt.Sprintf("%s committed %s as change %d of its rollout%s", e.Server, e.Key, e.Sequence, nonce)
		}
		return fmt.Sprintf("%s committed %s", e.Server, e.Key)
	case history.EffectAbort:
		return fmt.Sprintf("%s gave up %s without effect%s", e.Server, e.Key, because(e.Reason))
	case history.EffectAnswer:
		if e.Replayed {
			return fmt.Sprintf("%s answered %s from its record%s", e.Server, e.Key, nonce)
		}
		return fmt.Sprintf("%s answered %s%s", e.Server, e.Key, nonce)
	case history.EffectRefuse:
		return fmt.Sprintf("%s refused %s%s", e.Server, e.Key, because(e.Reason))
	}
	return fmt.Sprintf("%s recorded %s of %s", e.Server, e.Kind, e.Key)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func effectTexts(list []*history.Effect) []string {
	var out []string
	for _, e := range list {
		out = append(out, effectText(e))
	}
	return out
}
