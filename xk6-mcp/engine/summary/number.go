package summary

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

// number is a value of a metric in its own unit, short enough for a column.
func (p *page) number(v float64, contains string) string {
	switch contains {
	case inTime:
		return p.duration(v)
	case inData:
		return bytes(v)
	}
	return short(v)
}

// exact is a value with as many digits as it takes to compare it with a threshold.
func (p *page) exact(v float64, m engine.MetricSummary, aggregation string) string {
	switch {
	case aggregation == "rate" && m.Type == engine.Rate:
		return percent(v)
	case aggregation == "rate":
		return digits(v, 6) + "/s"
	case m.IsTime:
		return digits(v, 6) + "ms"
	}
	return digits(v, 6)
}

// duration is a time in milliseconds, in the unit of the page or the one that
// suits it, with three digits that count.
func (p *page) duration(ms float64) string {
	switch p.unit {
	case "s":
		return fixed(ms/1e3, 2) + "s"
	case "ms":
		return fixed(ms, 2) + "ms"
	case "us":
		return fixed(ms*1e3, 2) + "µs"
	}
	switch size := math.Abs(ms); {
	case size == 0:
		return "0s"
	case size < 0.000_999_5:
		return digits(ms*1e6, 3) + "ns"
	case size < 0.9995:
		return digits(ms*1e3, 3) + "µs"
	case size < 999.5:
		return digits(ms, 3) + "ms"
	case size < 59_950:
		return digits(ms/1e3, 3) + "s"
	}
	d := time.Duration(ms * float64(time.Millisecond)).Round(time.Second)
	if d >= time.Hour {
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
}

// bytes is a size in decimal units: 1.3 MB.
func bytes(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if math.Abs(v) >= unit.size {
			return digits(v/unit.size, 2) + " " + unit.name
		}
	}
	return fixed(v, 0) + " B"
}

// short is a number without a unit. A whole one has commas, one too large for them
// an exponent.
func short(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return thousands(v)
	}
	return digits(v, 4)
}

// thousands is a whole number with commas: 12,345.
func thousands(v float64) string {
	text := fixed(math.Abs(v), 0)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if v < 0 {
		return "-" + text
	}
	return text
}

// rate is how much there was of something in a second.
func rate(v float64, contains string) string {
	if contains == inData {
		return bytes(v) + "/s"
	}
	if v >= 1000 {
		return thousands(v) + "/s"
	}
	return digits(v, 4) + "/s"
}

// percent is a share with two decimals, which are never rounded to none or all.
func percent(share float64) string {
	text := fixed(share*100, 2)
	switch {
	case text == "100.00" && share < 1:
		text = "99.99"
	case text == "0.00" && share > 0:
		text = "0.01"
	}
	return text + "%"
}

func fixed(v float64, decimals int) string { return strconv.FormatFloat(v, 'f', decimals, 64) }

// digits is a number with as many digits that count, or all of those before the
// point, without zeros at the end. A very large or small one has an exponent.
func digits(v float64, n int) string {
	size := math.Abs(v)
	if size != 0 && (size < 1e-4 || size >= 1e9) {
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	decimals := 0
	if size > 0 {
		decimals = max(n-1-int(math.Floor(math.Log10(size))), 0)
	}
	text := fixed(v, decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
