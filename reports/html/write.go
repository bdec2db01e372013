package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
)

var (
	//go:embed report.css
	style string
	//go:embed report.gohtml
	source string
)

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(style) },
	// policy allows this style sheet, the pictures in the file, and nothing else.
	"policy": func() string {
		sum := sha256.Sum256([]byte(style))
		return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	},
	"picture": func(svg []byte) template.URL {
		return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
	},
}).Parse(source))

// Write writes a report. Its errors are those of w.
func Write(w io.Writer, p Page) error {
	var out bytes.Buffer
	if err := page.Execute(&out, p); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}
