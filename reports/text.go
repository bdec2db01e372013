package reports

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpstorm/history"
)

// thousands is a whole number with commas: 12,345.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// percent is a rate with as many digits as tell something: 0.72 %, 3.1 %, 45 %.
func percent(rate float64) string {
	p := rate * 100
	switch {
	case p == 0 || p == 100:
		return fmt.Sprintf("%.0f %%", p)
	case p < 0.01:
		return "0.01 %"
	case p < 1 || p > 99:
		return fmt.Sprintf("%.2f %%", p)
	case p < 10 || p > 90:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// bounds says what the 95 % interval of a rate allows, in the fewest words.
func bounds(i *history.Interval) string {
	switch {
	case i == nil || i.Of == 0:
		return ""
	case i.Count == 0:
		return "below " + percent(i.High)
	case i.Count == i.Of:
		return "above " + percent(i.Low)
	}
	return fmt.Sprintf("%s to %s", percent(i.Low), percent(i.High))
}

// wrap breaks a text at spaces into lines of at most width characters. A word
// that is longer stands on a line of its own; a percent sign stays with its number.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	words := strings.Fields(text)
	for i, word := range words {
		if i+1 < len(words) && words[i+1] == "%" {
			word += " %"
		}
		switch {
		case word == "%" && i > 0:
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// pad fills a text with spaces on the right up to width characters.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// padLeft fills a text with spaces on the left up to width characters.
func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0)) + text
}
