package output

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/xk6-mcp/engine"
)

// tagColumns are the tags that have a column of their own, in k6's order. All
// others share the last column, as name=value joined by &.
var tagColumns = []string{
	"check", "error", "error_code", "group", "method", "name", "proto", "scenario", "status", "subproto", "tls_version", "url",
}

// csvFile writes a line for every sample, under a head that names the columns.
type csvFile struct {
	*file
	tags *interner[[]byte] // the end of a line, from the comma after the value on
}

func openCSV(path string) (*csvFile, error) {
	f, err := createFile(path)
	if err != nil {
		return nil, err
	}
	head := append([]string{"metric_name", "timestamp", "metric_value"}, tagColumns...)
	_, f.err = f.buf.WriteString(strings.Join(append(head, "extra_tags"), ",") + "\n")
	return &csvFile{file: f, tags: newInterner(tagsCSV)}, nil
}

// Sample implements Output. The time is in whole seconds since 1970, and the
// value has six decimals, as k6 documents them.
func (f *csvFile) Sample(s engine.Sample) {
	line := append(f.line[:0], s.Metric.Name()...) // a metric's name needs no quotes
	line = append(line, ',')
	line = strconv.AppendInt(line, s.Time.Unix(), 10)
	line = append(line, ',')
	line = strconv.AppendFloat(line, s.Value, 'f', 6, 64)
	f.line = append(line, f.tags.of(s.Tags)...)
	f.write(f.line, s.Time)
}

// tagsCSV is the part of a line that tells the tags, its end included.
func tagsCSV(tags map[string]string) []byte {
	cells := []string{""} // makes the line begin with a comma
	for _, name := range tagColumns {
		cells = append(cells, tags[name])
	}
	var extra []string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if !slices.Contains(tagColumns, name) {
			extra = append(extra, name+"="+tags[name])
		}
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write(append(cells, strings.Join(extra, "&"))) // a buffer takes everything
	w.Flush()
	return out.Bytes()
}
