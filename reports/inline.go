package reports

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mcpstorm/reports/html"
	"mcpstorm/reports/safe"
)

// inlined reads charts back, to be put into a page. What is no SVG is left out.
func inlined(paths []string) (charts []html.Chart, err error) {
	for _, path := range paths {
		if !strings.HasSuffix(path, ".svg") {
			continue
		}
		svg, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reports: %w", err)
		}
		title, alt, err := described(svg)
		if err != nil {
			return nil, fmt.Errorf("reports: reading %s: %w", path, err)
		}
		charts = append(charts, html.Chart{SVG: svg, Title: safe.Text(title), Alt: safe.Text(alt)})
	}
	return charts, nil
}

// errNoWords says that a chart does not say what it shows.
var errNoWords = errors.New("it has no title and description")

// described finds the title and the description with which a chart begins.
func described(svg []byte) (title, alt string, err error) {
	decoder := xml.NewDecoder(strings.NewReader(string(svg)))
	for title == "" || alt == "" {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return "", "", errNoWords
		}
		if err != nil {
			return "", "", err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "title":
			err = decoder.DecodeElement(&title, &start)
		case "desc":
			err = decoder.DecodeElement(&alt, &start)
		}
		if err != nil {
			return "", "", err
		}
	}
	return title, alt, nil
}
