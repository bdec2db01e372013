package safe

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many characters of one text are shown.
const longest = 2000

// Text is a text that can be shown: without credentials, without a character that moves
// a cursor or turns the direction of writing, and not longer than a page has room for.
func Text(text string) string { return clip(Printable(Redact(text))) }

// Printable writes every character that has no picture of its own as Go would escape
// it. A text without one is unchanged, its backslashes included.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unseen) {
		return text
	}
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func unseen(r rune) bool { return !unicode.IsPrint(r) }

// The forms in which a credential can stand in a text that nobody took it out of: as
// the user of a URL, behind the name of an authorization header or the word Bearer, and
// as a named secret in a query, a header or a JSON object.
var (
	userinfo      = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#\s"'<>@]+@`)
	authorization = regexp.MustCompile(`(?i)\b(authorization["']?\s*[=:]\s*["']?)(?:[a-z]+\s+)?[^\s"',;]{4,}`)
	bearer        = regexp.MustCompile(`(?i)\b(bearer)(?:[ +]|%20)+[A-Za-z0-9._~+/=-]{6,}`)
	secret        = regexp.MustCompile(`(?i)\b((?:access_|refresh_|id_|auth_|x-)?(?:token|api[_-]?key|secret|password|passwd|cookie|session_key))(["']?\s*[=:]\s*["']?)[^\s"'&;,<>(){}]{4,}`)
)

const redaction = "***"

// Redact takes credentials out of a text: the user and password of a URL, the value of
// an authorization header, and what is called a token, key, secret, password or cookie.
// The client records none to begin with; a server may still repeat one in its own words.
func Redact(text string) string {
	if strings.Contains(text, "://") {
		text = userinfo.ReplaceAllString(text, "${1}"+redaction+"@")
	}
	text = authorization.ReplaceAllString(text, "${1}"+redaction)
	text = bearer.ReplaceAllString(text, "${1} "+redaction)
	return secret.ReplaceAllString(text, "${1}${2}"+redaction)
}

// clip cuts a text after so many characters, and says how many are missing.
func clip(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= longest {
		return text
	}
	letters := []rune(text)
	return fmt.Sprintf("%s… (%d characters more)", string(letters[:longest]), n-longest)
}
