package wiki_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

// A reader finds a page, lists its sections and reads each, and what is read has
// to do with what was searched.
func TestFromSearchToText(t *testing.T) {
	s := start(t, refserver.Config{})
	pages := ask(t, s, "search_pages", `{"query":"Lighthouse, sailors!"}`).Pages
	ids := map[string]bool{}
	for _, p := range pages {
		ids[p.ID] = true
	}
	if len(pages) != 10 || len(ids) != 10 {
		t.Fatalf("pages %v", pages)
	}
	matched := 0
	sections := ask(t, s, "view_sections", `{"page_id":"`+pages[0].ID+`"}`).Sections
	for _, section := range sections {
		text := ask(t, s, "read_section", `{"section_id":"`+section.ID+`"}`).Text
		if !strings.Contains(text, pages[0].Title) || !strings.HasPrefix(section.ID, pages[0].ID+":") {
			t.Errorf("section %v of %v: %s", section, pages[0], text)
		}
		matched += strings.Count(text, "lighthouse") + strings.Count(text, "sailors")
	}
	if len(sections) != 5 || matched < 3 {
		t.Errorf("%d sections, %d matches in the best page", len(sections), matched)
	}
}

func TestEverySearchGivesTenPages(t *testing.T) {
	s := start(t, refserver.Config{})
	first := ask(t, s, "search_pages", `{"query":""}`).Pages
	for _, query := range []string{"", "xylophone", "the", "Ünknown", "1492"} {
		pages := ask(t, s, "search_pages", `{"query":"`+query+`"}`).Pages
		if len(pages) != 10 {
			t.Errorf("%q: %d pages", query, len(pages))
		}
		if query == "xylophone" && !cmp.Equal(first, pages) {
			t.Errorf("without a match: %v, want %v", pages, first)
		}
	}
}

func TestCorpusIsDrawnFromTheSeedAlone(t *testing.T) {
	search := func(cfg refserver.Config, rollout string) []pageRef {
		s := start(t, cfg)
		return servertest.Read[result](t, s, rollout, "search_pages", `{"query":"mill museum"}`).Pages
	}
	first := search(refserver.Config{Seed: 1}, rollout)
	if diff := cmp.Diff(first, search(refserver.Config{Seed: 1, Name: "kb", Arm: "b"}, "t000009.3")); diff != "" {
		t.Errorf("another server, arm and rollout: %s", diff)
	}
	if cmp.Equal(first, search(refserver.Config{Seed: 2}, rollout)) {
		t.Error("another seed gives the same pages")
	}
}
