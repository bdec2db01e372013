// Package wiki is the shared read-only tool server among the reference servers:
// one small encyclopedia for all rollouts, in the manner of wiki-search, one of
// the environments of verifiers. It is searched, its pages list their sections,
// and sections are read. The same is there as resources and prompts.
//
// Nothing in it ever changes and no rollout has a state of its own: hundreds of
// rollouts that come to one process are the whole difficulty.
package wiki

import (
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// The bugs that can be planted.
const (
	blocking = "FM-31"
	bleeding = "FM-33"
)

// keys says how a call is named.
var keys = wire.KeyRule{OpArgument: "op"}

// Kind describes the wiki.
func Kind() refserver.Kind {
	return refserver.Kind{
		Name: "wiki",
		Doc:  "a shared read-only wiki: search_pages(query), view_sections(page_id), read_section(section_id)",
		Bugs: map[string]string{
			blocking: "a tool blocks the loop: while one call takes its time, nobody else is served",
			bleeding: "session bleed: a call is answered with the result and the nonce of the one that came last",
		},
		Eras: wire.Eras(),
		Classes: map[string]history.ReplayClass{
			searchPages.spec.Name:  history.ReadOnly,
			viewSections.spec.Name: history.ReadOnly,
			readSection.spec.Name:  history.ReadOnly,
		},
		Keys:          keys,
		NonceArgument: "nonce",
		Settings:      []string{"toolLatency"},
		New:           newServer,
	}
}

// server holds the corpus.
type server struct {
	*refserver.Core
	corpus    *corpus
	resources []*mcp.Resource // its pages, never changed

	// Only the planted bugs use these.
	loop sync.Mutex             // FM-31: held while a call takes its time
	last atomic.Pointer[result] // FM-33: of the call that came last
}

func newServer(cfg refserver.Config) (refserver.Server, error) {
	s := &server{corpus: newCorpus(cfg.Seed)}
	s.resources = resourcesOf(s.corpus)
	s.Core = refserver.NewCore(cfg, func(_ *refserver.Core, rollout string) []refserver.Tool {
		return []refserver.Tool{
			s.serve(rollout, searchPages), s.serve(rollout, viewSections), s.serve(rollout, readSection),
		}
	})
	s.Furnish = s.furnish
	return s, nil
}
