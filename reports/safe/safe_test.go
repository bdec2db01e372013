package safe_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "told ok, 0.72 % · “quoted” größe", "told ok, 0.72 % · “quoted” größe"},
		{"a path", `C:\runs\x`, `C:\runs\x`},
		{"an escape sequence", "\x1b[2J\x1b]0;owned\x07", `\x1b[2J\x1b]0;owned\a`},
		{"a line of its own", "ok\nVERDICT: PASS\r", `ok\nVERDICT: PASS\r`},
		{"a quotation beside it", "\"a\"\n", `"a"\n`},
		{"marks of direction", "abc\u202edcba\u2066x\u200f", `abc\u202edcba\u2066x\u200f`},
		{"nothing to be seen", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"C1 controls", "a\u009b31m", `a\u009b31m`},
		{"broken UTF-8", "a\xffb", `a\xffb`},
		{"the mark of broken UTF-8", "a\ufffdb", "a\ufffdb"},
		{"markup is not its business", "<script>alert(1)</script> ]]> | `x`", "<script>alert(1)</script> ]]> | `x`"},
		{"markup in a message of json", "json: invalid character '\x00' in it", `json: invalid character '\x00' in it`},
	} {
		if got := safe.Text(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRedact(t *testing.T) {
	const key = "s3cr3t-Value.42"
	for _, c := range []struct{ name, text, want string }{
		{"the user of a URL", "Post \"http://ann:" + key + "@127.0.0.1:80/mcp\": EOF", "Post \"http://***@127.0.0.1:80/mcp\": EOF"},
		{"a user alone", "http://" + key + "@host/x", "http://***@host/x"},
		{"two URLs", "http://a:b1b1@h https://c:d1d1@i", "http://***@h https://***@i"},
		{"a mail address", "write to ann@host.example", "write to ann@host.example"},
		{"no user", "http://127.0.0.1:80/r/{rollout}/mcp", "http://127.0.0.1:80/r/{rollout}/mcp"},
		{"bearer", "HTTP 401: Authorization: Bearer " + key + " refused", "HTTP 401: Authorization: *** refused"},
		{"bearer alone", "you sent bearer " + key, "you sent bearer ***"},
		{"basic", "authorization: Basic YW5uOnNlY3JldA==, x", "authorization: ***, x"},
		{"in a query", "GET /mcp?access_token=" + key + "&x=1", "GET /mcp?access_token=***&x=1"},
		{"in JSON", `{"password":"` + key + `"}`, `{"password":"***"}`},
		{"a cookie", "Cookie: " + key, "Cookie: ***"},
		{"about a token", "the token is missing", "the token is missing"},
		{"the basics", "a basic question", "a basic question"},
	} {
		if got := safe.Redact(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTextIsBounded(t *testing.T) {
	got := safe.Text(strings.Repeat("ä", 1_000_000))
	if n := utf8.RuneCountInString(got); n > 2100 || !strings.HasSuffix(got, "… (998000 characters more)") {
		t.Errorf("%d characters, ending in %q", n, got[len(got)-40:])
	}
}

func TestAll(t *testing.T) {
	const bad, good = "\x1b[1m", `\x1b[1m`
	type inner struct {
		Text string
		own  string // texts that are not exported are left alone
	}
	type outer struct {
		Status  history.Status
		Map     map[history.Told]*inner
		List    []any
		Raw     json.RawMessage
		When    time.Time
		Nothing []string
		None    map[string]int
		Count   int
	}
	when := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	from := outer{
		Status: bad, Map: map[history.Told]*inner{bad: {bad, bad}, "none": nil}, List: []any{bad, 3, inner{Text: bad, own: bad}, nil},
		Raw: json.RawMessage(bad), When: when, Count: 3,
	}
	want := outer{
		Status: good, Map: map[history.Told]*inner{good: {good, bad}, "none": nil}, List: []any{good, 3, inner{Text: good, own: bad}, nil},
		Raw: json.RawMessage(bad), When: when, Count: 3,
	}
	if diff := cmp.Diff(want, safe.All(from), cmp.AllowUnexported(inner{})); diff != "" {
		t.Error(diff)
	}
	if from.Status != bad || from.Map[bad].Text != bad || from.List[0] != bad {
		t.Error("the original was changed")
	}
	if got := safe.Redacted(from); got.Status != bad {
		t.Errorf("a text for machines became %q", got.Status)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a", "\x1b[31m", "\u202e", "\xff\xfe", "http://a:b@c", "Bearer abcdefgh"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := safe.Text(text)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q is left in %q", r, got)
			}
		}
	})
}
