package markdown_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"mcpstorm/reports/markdown"
)

// render is what a host of code makes of Markdown, before it cleans up after it.
func render(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	host := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := host.Convert([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var tag = regexp.MustCompile(`</?[a-zA-Z!][^>]*>`)

var hostile = map[string]string{
	"a script":        `<script>alert(1)</script>`,
	"an image":        `![x](http://evil.example/x.png) <img src=x onerror=alert(1)>`,
	"a link":          `[x](javascript:alert(1)) http://evil.example www.evil.example <http://evil.example>`,
	"a table":         "a | b || \\| c \\\\| d",
	"code":            "`a` ``b`` ```` c",
	"a fence":         "```\n# head\n```",
	"emphasis":        "*a* __b__ ~~c~~ $d$",
	"an entity":       "&lt;b&gt; &amp;",
	"the end of it":   "</details></summary> ]]> -->",
	"a heading":       "# head\n\n---\n\n> quoted\n\n1. one\n- two",
	"a reference":     "@someone #12 owner/repo#3",
	"trailing escape": `a\`,
	"begins a block":  "    indented",
}

// Whatever a text holds, it makes no element and no cell of its own.
func TestHostileTexts(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			for what, c := range map[string]struct{ text, want string }{
				"a line":      {"x " + markdown.Text(text), "<p></p>"},
				"inline code": {"x " + markdown.Code(text), "<p><code></code></p>"},
				"a block":     {markdown.Block(text), `<pre><code class="language-text"></code></pre>`},
				"a table": {
					markdown.Table([]string{"a", "b"}, [][]string{{markdown.Text(text), markdown.CodeCell(text)}}),
					"<table><thead><tr><th></th><th></th></tr></thead><tbody><tr><td></td><td><code></code></td></tr></tbody></table>",
				},
			} {
				got := render(t, c.text)
				if tags := strings.Join(tag.FindAllString(got, -1), ""); tags != c.want {
					t.Errorf("%s: %q became %s", what, c.text, got)
				}
			}
		})
	}
}

func TestDetails(t *testing.T) {
	got := render(t, markdown.Details("proof of "+markdown.Code("a"), markdown.Block("1 < 2")))
	if !strings.Contains(got, "<summary>proof of") || !strings.Contains(got, "1 &lt; 2") || !strings.HasSuffix(strings.TrimSpace(got), "</details>") {
		t.Errorf("got %s", got)
	}
}

func TestReadable(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{markdown.Text("0 of 512 rollouts · below 0.72 %"), "0 of 512 rollouts · below 0.72 %"},
		{markdown.Text("no-hang: told not_executed"), `no-hang: told not\_executed`},
		{markdown.Code("mcpstorm run a.js"), "`mcpstorm run a.js`"},
		{markdown.Code("a`b"), "``a`b``"},
		{markdown.Code(""), "`  `"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
