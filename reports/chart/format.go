package chart

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// thousands is a whole number with commas: 12,345.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// count is a number with its noun: 1 cut, 742 cuts.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// percent is part of a whole in per cent; of nothing it is a dash.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return share(float64(part) / float64(whole))
}

// share is a rate in per cent with as many digits as tell something. Only what is
// nothing is 0%, and only what is all is 100%.
func share(rate float64) string {
	p := 100 * rate
	switch {
	case rate <= 0 || rate >= 1:
		return fmt.Sprintf("%.0f%%", p)
	case p < 0.1:
		return "under 0.1%"
	case p > 99.9:
		return "over 99.9%"
	case p < 1:
		return fmt.Sprintf("%.2f%%", p)
	case p < 10 || p > 99:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

// seconds is a duration on an axis or in a subtitle: 0.25 s, 10 s, 5 min.
func seconds(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return number(float64(d)/1e3) + " µs"
	case d < 10*time.Millisecond:
		return number(float64(d)/1e6) + " ms"
	case d >= time.Minute && d%time.Minute == 0:
		return number(d.Minutes()) + " min"
	}
	return number(d.Seconds()) + " s"
}

// latency is a duration on the latency axis: 200 µs, 50 ms, 2 s.
func latency(s float64) string {
	switch {
	case s < 0.9995e-3:
		return number(s*1e6) + " µs"
	case s < 0.9995:
		return number(s*1e3) + " ms"
	}
	return number(s) + " s"
}

// number has at most three digits that tell something, and no trailing zeros.
func number(v float64) string {
	if v >= 1000 {
		return thousands(int(v + 0.5))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// list joins words as a sentence does: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// dots joins the facts of a subtitle or a footer; those that are empty are left out.
func dots(facts ...string) string {
	var kept []string
	for _, fact := range facts {
		if fact != "" {
			kept = append(kept, fact)
		}
	}
	return strings.Join(kept, " · ")
}
