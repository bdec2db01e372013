package wiki

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// hits is how many pages a search gives.
const hits = 10

// Why a page or a section cannot be given.
var (
	errNoPage    = errors.New("no such page")
	errNoSection = errors.New("no such section")
)

// corpus is the whole wiki. It never changes, and is read from any goroutine.
type corpus struct {
	pages []page // in the order in which a search without any match lists them
	byID  map[string]*page
	texts map[string]string      // by section
	words map[string]map[int]int // word → index of a page → how often it is there
}

// page is one page.
type page struct {
	pageRef
	sections []sectionRef
}

// pageRef is what a search says of a page.
type pageRef struct {
	ID    string `json:"page_id"`
	Title string `json:"title"`
}

// sectionRef is what a page says of a section.
type sectionRef struct {
	ID   string `json:"section_id"`
	Name string `json:"section_name"`
}

// search gives the ten pages in which the words of the query are most often; of
// equals, the one that comes first in the corpus.
func (c *corpus) search(query string) []pageRef {
	scores := make([]int, len(c.pages))
	order := make([]int, len(c.pages))
	for i := range order {
		order[i] = i
	}
	for _, word := range split(query) {
		for i, n := range c.words[word] {
			scores[i] += n
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	list := make([]pageRef, hits)
	for i := range list {
		list[i] = c.pages[order[i]].pageRef
	}
	return list
}

// sections lists the sections of a page.
func (c *corpus) sections(id string) ([]sectionRef, error) {
	p, ok := c.byID[id]
	if !ok {
		return nil, fmt.Errorf("page_id: %q: %w", id, errNoPage)
	}
	return p.sections, nil
}

// read gives the text of a section.
func (c *corpus) read(id string) (string, error) {
	text, ok := c.texts[id]
	if !ok {
		return "", fmt.Errorf("section_id: %q: %w", id, errNoSection)
	}
	return text, nil
}

// add adds a page with the texts of its sections.
func (c *corpus) add(p page, texts []string) {
	index := len(c.pages)
	c.pages = append(c.pages, p)
	c.count(index, p.Title)
	for i, section := range p.sections {
		c.texts[section.ID] = texts[i]
		c.count(index, texts[i])
	}
}

// count notes the words of a page.
func (c *corpus) count(index int, text string) {
	for _, word := range split(text) {
		if c.words[word] == nil {
			c.words[word] = map[int]int{}
		}
		c.words[word][index]++
	}
}

// split gives the words of a text in lower case.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
