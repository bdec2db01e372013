package xk6mcp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"mcpstorm/internal/near"
	"mcpstorm/xk6-mcp/client"
)

// mistake throws a TypeError: the script uses the module wrongly.
func (u *virtualUser) mistake(format string, args ...any) {
	panic(u.vu.Runtime().NewTypeError("%s", "mcp: "+fmt.Sprintf(format, args...)))
}

// options is an object that a script handed to one of the module's functions. A
// key that the function does not know is refused and never ignored.
type options struct {
	user   *virtualUser
	of     string        // what they are of, for messages
	object *sobek.Object // nil where the script gave none
}

// optionsOf reads an argument, which may be absent, and checks its keys.
func (u *virtualUser) optionsOf(of string, given sobek.Value, known ...string) options {
	if absent(given) {
		return options{u, of, nil}
	}
	object, ok := given.(*sobek.Object)
	if !ok {
		u.mistake("%s takes an object {%s}, got %s", of, strings.Join(known, ", "), given)
	}
	for _, key := range object.Keys() {
		if !slices.Contains(known, key) {
			u.mistake("%s knows no %q; known: %s%s", of, key, strings.Join(known, ", "), near.Suggestion(key, known))
		}
	}
	return options{u, of, object}
}

func absent(v sobek.Value) bool { return v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) }

// get is the value of a key; nil when it is absent, undefined or null.
func (o options) get(key string) sobek.Value {
	if o.object == nil {
		return nil
	}
	if v := o.object.Get(key); !absent(v) {
		return v
	}
	return nil
}

// text is a key's text; empty when it is absent.
func (o options) text(key string) string {
	v := o.get(key)
	if v == nil {
		return ""
	}
	text, ok := v.Export().(string)
	if !ok {
		o.user.mistake("%s: %s is a text, got %s", o.of, key, v)
	}
	return text
}

// need is a key's text that must be there.
func (o options) need(key string) string {
	text := o.text(key)
	if text == "" {
		o.user.mistake("%s needs a %s", o.of, key)
	}
	return text
}

// count is a key's whole number from 1; zero when it is absent.
func (o options) count(key string) int {
	v := o.get(key)
	if v == nil {
		return 0
	}
	n, ok := v.Export().(int64)
	if !ok || n < 1 {
		o.user.mistake("%s: %s is a whole number from 1, got %s", o.of, key, v)
	}
	return int(n)
}

// texts is a key's object of texts, such as headers; nil when it is absent. A
// value that is none is not shown, for it may be a secret.
func (o options) texts(key string) map[string]string {
	v := o.get(key)
	if v == nil {
		return nil
	}
	object, ok := v.(*sobek.Object)
	if !ok {
		o.user.mistake("%s: %s is an object of texts", o.of, key)
	}
	texts := map[string]string{}
	for _, name := range object.Keys() {
		text, ok := object.Get(name).Export().(string)
		if !ok {
			o.user.mistake("%s: %s.%s is a text, got something else", o.of, key, name)
		}
		texts[name] = text
	}
	return texts
}

// deadline is what bounds each attempt: deadline, or timeout, which is k6's word
// for it. It is a text such as "2s" or a number of milliseconds; zero when absent.
func (o options) deadline() time.Duration {
	name, v := "deadline", o.get("deadline")
	if other := o.get("timeout"); other != nil {
		if v != nil {
			o.user.mistake("%s: deadline and timeout are two words for one thing: give one", o.of)
		}
		name, v = "timeout", other
	}
	if v == nil {
		return 0
	}
	d, ok := durationOf(v)
	if !ok || d <= 0 {
		o.user.mistake("%s: %s is a duration such as '2s', or a number of milliseconds, of more than zero, got %s", o.of, name, v)
	}
	return d
}

// cancelAfter is when the script cancels its call; zero is never.
func (o options) cancelAfter() time.Duration {
	v := o.get("cancelAfter")
	if v == nil {
		return 0
	}
	d, ok := durationOf(v)
	if !ok || d <= 0 {
		o.user.mistake("%s: cancelAfter is a duration such as '2s', or a number of milliseconds, of more than zero, got %s", o.of, v)
	}
	return d
}

func durationOf(v sobek.Value) (d time.Duration, ok bool) {
	switch given := v.Export().(type) {
	case string:
		d, err := time.ParseDuration(strings.TrimSpace(given))
		return d, err == nil
	case int64:
		return time.Duration(given) * time.Millisecond, true
	case float64:
		return time.Duration(given * float64(time.Millisecond)), true
	}
	return 0, false
}

// ownTags are the tags that the module itself sets.
var ownTags = []string{"kind", "tool", "server", "told", "policy", "arm", "method"}

// tags are what the script adds to the samples of one call.
func (o options) tags() map[string]string {
	tags := o.texts("tags")
	for name := range tags {
		if slices.Contains(ownTags, name) {
			o.user.mistake("%s: the tag %q is the module's own", o.of, name)
		}
	}
	return tags
}

// headers are what is sent with every request: headers, and the bearer token as
// Authorization. No value is ever shown.
func (o options) headers() http.Header {
	fields, token := o.texts("headers"), o.text("bearer")
	if token != "" {
		for name := range fields {
			if strings.EqualFold(name, "Authorization") {
				o.user.mistake("%s: bearer and headers.Authorization are two words for one thing: give one", o.of)
			}
		}
		if fields == nil {
			fields = map[string]string{}
		}
		fields["Authorization"] = "Bearer " + token
	}
	header, err := client.HeaderOf(fields)
	if err != nil {
		o.user.mistake("%s: headers: %v", o.of, err)
	}
	return header
}
