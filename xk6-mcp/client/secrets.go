package client

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// How long a secret is at least. What is shorter, such as the value of X-Auth-Mode:
// on, would be found in every text; and so would be many a value that only stands in
// a URL, such as ?format=json, and by its name is no credential.
const (
	leastSecret  = 4
	leastUnnamed = 8
)

// Secrets are the credentials that a run knows, so that none of them is recorded where
// a server says one back. Every client of a run adds its own, for a server may mix up
// whom it talks to. The zero value knows none. It is safe for concurrent use.
type Secrets struct {
	mu       sync.RWMutex
	byLength map[int]map[string]bool
	lengths  []int     // of byLength, the longest first
	first    [256]bool // the bytes that one begins with
}

// Redact puts a short digest in the place of every known secret in a text.
func (s *Secrets) Redact(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.lengths) == 0 {
		return text
	}
	var b strings.Builder
	copied := 0
	for i := 0; i < len(text); {
		n := s.at(text[i:])
		if n == 0 {
			i++
			continue
		}
		b.WriteString(text[copied:i])
		b.WriteString(Redacted(text[i : i+n]))
		i += n
		copied = i
	}
	b.WriteString(text[copied:])
	return b.String()
}

// at is the length of the longest secret that a text begins with; zero for none.
func (s *Secrets) at(text string) int {
	if !s.first[text[0]] {
		return 0
	}
	for _, n := range s.lengths {
		if n <= len(text) && s.byLength[n][text[:n]] {
			return n
		}
	}
	return 0
}

// add takes in a secret of at least so many bytes, as it is and as it stands in what
// quotes it: a URL, or a Go or JSON text.
func (s *Secrets) add(least int, secret string) {
	if len(secret) < least {
		return
	}
	inGo := strconv.Quote(secret)
	inJSON, _ := json.Marshal(secret) // fails on no text; & < > come as \u0026 \u003c \u003e
	for _, form := range []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret),
		inGo[1 : len(inGo)-1], string(inJSON[1 : len(inJSON)-1]),
	} {
		s.addForm(form)
	}
}

func (s *Secrets) addForm(form string) {
	n := len(form)
	s.mu.RLock()
	known := s.byLength[n][form]
	s.mu.RUnlock()
	if known {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byLength == nil {
		s.byLength = map[int]map[string]bool{}
	}
	if s.byLength[n] == nil {
		s.byLength[n] = map[string]bool{}
		s.lengths = append(s.lengths, n)
		slices.SortFunc(s.lengths, func(a, b int) int { return b - a })
	}
	s.byLength[n][form] = true
	s.first[form[0]] = true
}

// addHeader takes in the values of every header that carries a credential by its name:
// whole, without the scheme of "Bearer TOKEN", the password of Basic, and each cookie.
func (s *Secrets) addHeader(header http.Header) {
	for name, values := range header {
		if !IsCredential(name) {
			continue
		}
		for _, value := range values {
			scheme, token, _ := strings.Cut(value, " ")
			s.add(leastSecret, value)
			s.add(leastSecret, token)
			if strings.EqualFold(scheme, "Basic") {
				s.addBasic(token)
			}
			if strings.EqualFold(name, "Cookie") {
				s.addCookies(value)
			}
		}
	}
}

func (s *Secrets) addBasic(token string) {
	if decoded, err := base64.StdEncoding.DecodeString(token); err == nil {
		_, password, _ := strings.Cut(string(decoded), ":")
		s.add(leastSecret, string(decoded))
		s.add(leastSecret, password)
	}
}

func (s *Secrets) addCookies(line string) {
	cookies, _ := http.ParseCookie(line) // of what is none, the whole line is one secret
	for _, cookie := range cookies {
		s.add(leastSecret, cookie.Value)
	}
}

// addURL takes in what a URL may hold in secret: its user, and the values of its
// query. What names the rollout is none.
func (s *Secrets) addURL(u *url.URL, rollout string) {
	if u.User != nil {
		password, _ := u.User.Password()
		plain := u.User.Username() + ":" + password
		if password == "" {
			plain = u.User.Username() // a token in the place of a user
		}
		s.add(leastSecret, plain)
		s.add(leastSecret, password)
		s.add(leastSecret, base64.StdEncoding.EncodeToString([]byte(plain))) // as the header of Basic has it
	}
	if u.RawQuery == "" {
		return
	}
	for name, values := range u.Query() {
		least := leastUnnamed
		if IsCredential(name) {
			least = leastSecret
		}
		for _, value := range values {
			if !strings.Contains(value, rollout) {
				s.add(least, value)
			}
		}
	}
}
