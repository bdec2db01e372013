package client

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSecrets: what a header or a URL holds in secret is taken out of a text in every
// form in which a server could say it back, and nothing else is.
func TestSecrets(t *testing.T) {
	const rollout = "t000001.1"
	for _, tt := range []struct {
		name   string
		header http.Header
		url    string
		said   string   // %s stands for each secret
		secret []string // the first that is longest comes whole
	}{
		{"a bearer token", http.Header{"Authorization": {"Bearer sk-123456"}}, "", "bad token %s, %s", []string{"sk-123456", "Bearer sk-123456"}},
		{"a key of its own", http.Header{"X-Api-Key": {"k3y!"}}, "", "no such key: %s", []string{"k3y!"}},
		{"the password of Basic", http.Header{"Authorization": {"Basic YW5uOmh1c2gtaHVzaA=="}}, "", "%s: wrong, and so is %s", []string{"ann:hush-hush", "hush-hush"}},
		{"a cookie", http.Header{"Cookie": {"lang=en; sid=abcdef"}}, "", "session %s is over, lang=en", []string{"abcdef"}},
		{"in a JSON text", http.Header{"X-Secret": {`a"b\c`}}, "", `{"no":"%s"}`, []string{`a\"b\\c`}},
		{"in a JSON text of Go's", http.Header{"X-Secret": {`a&b<c>"d`}}, "", `{"no":"%s","nor":"%s"}`, []string{`a\u0026b\u003cc\u003e\"d`, `a&b<c>\"d`}},
		{"a query's", nil, "?token=ab%2Bcd&q=plain", "plain, %s and %s", []string{"ab+cd", "ab%2Bcd"}},
		{"a query's, without a name", nil, "?t=0123456789&format=json", "json: %s", []string{"0123456789"}},
		{"the user of a URL", nil, "ann:hush-hush@", "%s, %s", []string{"hush-hush", "YW5uOmh1c2gtaHVzaA=="}},
		{"a token as the user", nil, "t0k3n-t0k3n@", "%s", []string{"t0k3n-t0k3n"}},
		{"no credential", http.Header{"X-Team": {"connection"}, "X-Auth-Mode": {"on"}}, "?who=" + rollout + "-here", "connection of " + rollout + "-here on", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Secrets
			s.addHeader(tt.header)
			u, err := url.Parse(strings.Replace("http://@127.0.0.1:1/mcp", "@", userOf(tt.url), 1) + queryOf(tt.url))
			if err != nil {
				t.Fatal(err)
			}
			s.addURL(u, rollout)
			said, want := tt.said, tt.said
			for _, secret := range tt.secret {
				said, want = strings.Replace(said, "%s", secret, 1), strings.Replace(want, "%s", Redacted(secret), 1)
			}
			if diff := cmp.Diff(want, s.Redact(said)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func userOf(part string) string {
	if strings.HasSuffix(part, "@") {
		return part
	}
	return ""
}

func queryOf(part string) string {
	if strings.HasPrefix(part, "?") {
		return part
	}
	return ""
}

// TestSecretsOfAll: a secret of any client of the run is taken out of every text.
func TestSecretsOfAll(t *testing.T) {
	var s Secrets
	var all sync.WaitGroup
	for _, token := range []string{"first-token", "second", "third-one", "first-token"} {
		all.Go(func() {
			if _, err := New(Options{URL: "http://127.0.0.1:1/mcp", Header: http.Header{"X-Token": {token}}, Secrets: &s}); err != nil {
				t.Error(err)
			}
			_ = s.Redact("of some use")
		})
	}
	all.Wait()
	want := Redacted("first-token") + Redacted("second") + " and " + Redacted("third-one") + "."
	if got := s.Redact("first-tokensecond and third-one."); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// FuzzSecrets: no text keeps a secret whole, and one without any stays as it is.
func FuzzSecrets(f *testing.F) {
	f.Add("bad token sk-1234", "sk-1234")
	f.Add("aaaaaaaa", "aaaa")
	f.Fuzz(func(t *testing.T, text, secret string) {
		var s Secrets
		s.add(leastSecret, secret)
		got := s.Redact(text)
		switch held := len(secret) >= leastSecret && strings.Contains(text, secret); {
		case held && !strings.Contains(got, Redacted(secret)):
			t.Errorf("%q became %q", text, got)
		case len(secret) < leastSecret && got != text:
			t.Errorf("%q became %q", text, got)
		}
	})
}
