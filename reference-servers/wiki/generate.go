package wiki

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"mcpstorm/internal/seed"
)

// The size of the corpus.
const (
	pageCount         = 200
	sentencesASection = 4
)

// What the corpus is made of.
var (
	sectionNames = []string{"History", "Geography", "Economy", "Culture", "Transport"}

	before  = strings.Fields("Upper Lower Old New North South East West Great Little Black White Green High Deep Long Stone River Saint Fair")
	after   = strings.Fields("Ford Bridge Haven Field Wick Mill Marsh Hollow Gate Cross Heath Moor Quay Barrow Well Thorpe Combe Lea Strand Hythe")
	things  = strings.Fields("harbour market library mill railway bridge theatre abbey lighthouse canal school observatory brewery garden quarry museum")
	actions = strings.Fields("founded rebuilt closed painted measured flooded extended sold restored moved")
	people  = strings.Fields("weavers sailors monks masons farmers teachers printers miners potters merchants")
	moods   = strings.Fields("quiet busy famous narrow windy early late wealthy modest crowded")
)

// newCorpus draws the corpus: the same one for the same seed.
func newCorpus(root seed.Root) *corpus {
	c := &corpus{byID: map[string]*page{}, texts: map[string]string{}, words: map[string]map[int]int{}}
	rng := root.Stream("wiki", "corpus")
	for _, n := range rng.Perm(len(before) * len(after))[:pageCount] {
		title := before[n/len(after)] + " " + after[n%len(after)]
		p := page{pageRef: pageRef{ID: identifier(title), Title: title}}
		var texts []string
		for _, name := range sectionNames {
			p.sections = append(p.sections, sectionRef{ID: p.ID + ":" + identifier(name), Name: name})
			texts = append(texts, section(rng, title))
		}
		c.add(p, texts)
	}
	for i := range c.pages {
		c.byID[c.pages[i].ID] = &c.pages[i]
	}
	return c
}

// identifier is a title as part of an id: old_mill of Old Mill.
func identifier(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "_") }

// section draws the text of one section.
func section(rng *rand.Rand, title string) string {
	pick := func(words []string) string { return words[rng.IntN(len(words))] }
	sentences := make([]string, sentencesASection)
	for i := range sentences {
		sentences[i] = fmt.Sprintf("The %s %s of %s was %s in %d by the %s.",
			pick(moods), pick(things), title, pick(actions), 1100+rng.IntN(900), pick(people))
	}
	return strings.Join(sentences, " ")
}
