package output

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

// jsonFile writes one line of JSON for every metric, when its first sample comes,
// and one for every sample.
type jsonFile struct {
	*file
	thresholds []engine.Threshold
	tags       *interner[[]byte]
	metrics    map[*engine.Metric][]byte // the end of a sample's line, from the metric on
}

func openJSON(path string, thresholds []engine.Threshold) (*jsonFile, error) {
	f, err := createFile(path)
	if err != nil {
		return nil, err
	}
	return &jsonFile{
		file: f, thresholds: thresholds, tags: newInterner(tagsJSON), metrics: make(map[*engine.Metric][]byte),
	}, nil
}

// Sample implements Output.
func (f *jsonFile) Sample(s engine.Sample) {
	end, known := f.metrics[s.Metric]
	if !known {
		end = f.declare(s)
	}
	line := append(f.line[:0], `{"type":"Point","data":{"time":"`...)
	line = s.Time.UTC().AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","value":`...)
	line = strconv.AppendFloat(line, s.Value, 'g', -1, 64)
	line = append(line, `,"tags":`...)
	line = append(line, f.tags.of(s.Tags)...)
	f.line = append(line, end...)
	f.write(f.line, s.Time)
}

// metricLine is the line that declares a metric.
type metricLine struct {
	Type   string     `json:"type"`
	Data   metricData `json:"data"`
	Metric string     `json:"metric"`
}

// metricData is null where k6's documentation shows nothing but null.
type metricData struct {
	Type       engine.MetricType `json:"type"`
	Contains   string            `json:"contains"`
	Tainted    *bool             `json:"tainted"`
	Thresholds []string          `json:"thresholds"`
	Submetrics []string          `json:"submetrics"`
}

// declare writes the line of a metric, and returns how its samples' lines end.
func (f *jsonFile) declare(s engine.Sample) (end []byte) {
	m := s.Metric
	data := metricData{Type: m.Type(), Contains: m.Contains(), Thresholds: []string{}}
	for _, t := range f.thresholds {
		if t.Selector == m.Name() {
			data.Thresholds = append(data.Thresholds, t.Expr)
		}
	}
	f.write(appendJSON(nil, metricLine{"Metric", data, m.Name()}), s.Time)
	end = bytes.TrimSuffix(appendJSON([]byte(`},"metric":`), m.Name()), []byte("\n"))
	end = append(end, "}\n"...)
	f.metrics[m] = end
	return end
}

// tagsJSON is a set of tags as JSON, sorted by name; null for none.
func tagsJSON(tags map[string]string) []byte {
	if len(tags) == 0 {
		return []byte("null")
	}
	return bytes.TrimSuffix(appendJSON(nil, tags), []byte("\n"))
}

// appendJSON appends a value as a line of JSON, in which <, > and & stay as they are.
func appendJSON(line []byte, value any) []byte {
	out := bytes.NewBuffer(line)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // unreachable: strings, and structs and maps of them
	}
	return out.Bytes()
}
