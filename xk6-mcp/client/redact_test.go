package client

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

func TestIsCredential(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "Cookie": true, "X-Api-Key": true, "apikey": true, "X-Amz-Security-Token": true,
		"X-Auth": true, "X-Password": true, "X-Passwd": true, "Client-Secret": true, "X-Session-Id": true,
		"X-Signature": true, "X-Credentials": true, "X-Team": false, "X-Trace-Id": false, "Accept-Language": false,
	} {
		if got := IsCredential(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// A secret is taken out whole and without its scheme; what is too short to be one
// stays, and with it every text that holds it.
func TestRedact(t *testing.T) {
	c := &Client{options: Options{Secrets: &Secrets{}}}
	c.options.Secrets.addHeader(http.Header{"Authorization": {"Bearer hush-hush"}, "X-Auth-Mode": {"on"}, "X-Team": {"connection"}})
	got := c.redact(&history.Cause{Text: "connection refused to hush-hush, Bearer hush-hush"})
	want := "connection refused to " + Redacted("hush-hush") + ", " + Redacted("Bearer hush-hush")
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Error(diff)
	}
}

// The page after a cursor is asked for with params that are otherwise the same.
func TestWithCursor(t *testing.T) {
	for params, want := range map[string]string{
		"":                           `{"cursor":"n"}`,
		`{"cursor":"m"}`:             `{"cursor":"n"}`,
		`{"limit":9007199254740993}`: `{"cursor":"n","limit":9007199254740993}`,
		`null`:                       `null`,
		`[1]`:                        `[1]`,
	} {
		if got := withCursor([]byte(params), "n"); string(got) != want {
			t.Errorf("%s became %s, want %s", params, got, want)
		}
	}
}
