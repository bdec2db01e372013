package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// printable replaces what a terminal or a reader would not see as it is: control
// characters, and marks that turn the order of letters around.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '�'
	}, text)
}

// thousands is a whole number with commas: 12,345.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

func (v Value) text() string { return thousands(v.Count) + " of " + thousands(v.Of) }

// percent is a rate with three digits that tell something.
func percent(rate float64) string { return strconv.FormatFloat(100*rate, 'g', 3, 64) + " %" }

// points is a difference of rates with its interval, in percentage points.
func points(d, low, high float64) string {
	return fmt.Sprintf("%+.2f pp (%+.2f to %+.2f)", 100*d+0, 100*low+0, 100*high+0) // + 0: never -0
}

// probability is a p-value with two digits, or how small it is.
func probability(p float64) string {
	if p < 1e-4 {
		return "< 0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// percents is a ratio with its interval as a change in per cent.
func (c *LatencyChange) percents() string {
	if c.Ratio == nil {
		return "–"
	}
	s := c.span()
	if s.Low == 0 && math.IsInf(s.High, 1) {
		return fmt.Sprintf("%+.0f %% (too few to bound)", 100*(*c.Ratio-1)+0)
	}
	open := func(v float64) string {
		if v == 0 || math.IsInf(v, 1) {
			return "open"
		}
		return fmt.Sprintf("%+.0f", 100*(v-1))
	}
	return fmt.Sprintf("%+.0f %% (%s to %s)", 100*(*c.Ratio-1)+0, open(s.Low), open(s.High))
}

func end(v float64) string {
	if math.IsInf(v, 0) {
		return "open"
	}
	return fmt.Sprintf("%+.3g", v)
}

// seconds is a time as people read it: 12.3 ms, 1.25 s.
func seconds(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 1e-3:
		return number(v*1e6) + " µs"
	case v < 1:
		return number(v*1e3) + " ms"
	}
	return number(v) + " s"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
