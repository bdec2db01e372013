package client

import (
	"net/http"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// credentialHeaders are the request headers whose values are secrets.
var credentialHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key"}

// IsCredential reports whether a header of this name carries a secret, by its
// name alone: the well-known ones, and any whose name speaks of a token, a
// secret or a key.
func IsCredential(name string) bool {
	for _, known := range credentialHeaders {
		if strings.EqualFold(name, known) {
			return true
		}
	}
	lower := strings.ToLower(name)
	return strings.Contains(lower, "token") || strings.Contains(lower, "secret") || strings.HasSuffix(lower, "-key")
}

// Redacted stands for a secret in a record: a short digest, so that two records
// of one secret can still be told from two secrets.
func Redacted(secret string) string { return "redacted:" + wire.Digest(secret)[:8] }

// secretsOf collects every secret text in the headers: whole values, and the
// part after the scheme of "Bearer TOKEN".
func secretsOf(header http.Header) []string {
	var secrets []string
	for name, values := range header {
		if !IsCredential(name) {
			continue
		}
		for _, value := range values {
			secrets = append(secrets, value)
			if _, token, ok := strings.Cut(value, " "); ok {
				secrets = append(secrets, token)
			}
		}
	}
	return secrets
}

// redact takes every known secret out of a cause's text, for a server may echo
// what it was sent.
func (c *Client) redact(cause *history.Cause) *history.Cause {
	for _, secret := range c.secrets {
		if secret != "" && cause != nil {
			cause.Text = strings.ReplaceAll(cause.Text, secret, Redacted(secret))
		}
	}
	return cause
}
