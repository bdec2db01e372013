package client

import (
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// credentialHeaders are the request headers whose values are secrets.
var credentialHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key"}

// credentialWords are what the names of other headers that carry one speak of.
var credentialWords = []string{"auth", "token", "secret", "passw", "credential", "session", "signature", "cookie"}

// IsCredential reports whether a header of this name carries a secret, by its
// name alone: the well-known ones, and any whose name speaks of a token, a
// secret, a key or the like.
func IsCredential(name string) bool {
	lower := strings.ToLower(name)
	speaksOf := func(word string) bool { return strings.Contains(lower, word) }
	known := func(header string) bool { return strings.EqualFold(name, header) }
	return slices.ContainsFunc(credentialHeaders, known) || slices.ContainsFunc(credentialWords, speaksOf) || strings.HasSuffix(lower, "key")
}

// Redacted stands for a secret in a record: a short digest, so that two records
// of one secret can still be told from two secrets.
func Redacted(secret string) string { return "redacted:" + wire.Digest(secret)[:8] }

// redact takes every known secret out of a cause's text, for a server may say back
// what it was sent.
func (c *Client) redact(cause *history.Cause) *history.Cause {
	if cause != nil {
		cause.Text = c.options.Secrets.Redact(cause.Text)
	}
	return cause
}
