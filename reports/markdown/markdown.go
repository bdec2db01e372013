// Package markdown writes the Markdown that hosts of code show in a pull request, of
// texts that may hold anything. Every function is pure.
package markdown

import "strings"

// special are the characters that mean something anywhere in a line. At a line's
// beginning others do, so a text never begins one here.
const special = "\\`*_[]|~$"

// Text is a text in which nothing is markup: no tag, link, table cell, mention or issue
// number. It stays on one line.
func Text(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@' || r == '#':
			b.WriteRune(r)
			b.WriteString("\u200b") // neither a mention nor a reference
		case strings.ContainsRune(special, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return breakLinks(b.String())
}

// breakLinks keeps bare addresses from becoming links.
func breakLinks(text string) string {
	text = strings.ReplaceAll(text, "://", ":\u200b//")
	return strings.ReplaceAll(text, "www.", "www\u200b.")
}

// Code is a text as inline code, whatever it holds: its fence is longer than any run of
// backticks in it.
func Code(text string) string {
	text = flat(text)
	fence, pad := strings.Repeat("`", longestRun(text)+1), ""
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		pad = " "
	}
	return fence + pad + text + pad + fence
}

// CodeCell is Code within a table, where a bar ends a cell even in code.
func CodeCell(text string) string { return strings.ReplaceAll(Code(text), "|", `\|`) }

// Block is a text of several lines as a block of code, with a line's end behind it.
func Block(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "text\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// flat is a text on one line.
func flat(text string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(text) }

// longestRun is the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		run++
		if r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// Table is a table of cells that are Markdown already.
func Table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// Details is a part that is folded until somebody opens it.
func Details(summary, body string) string {
	return "<details>\n<summary>" + summary + "</summary>\n\n" + body + "\n</details>\n"
}
