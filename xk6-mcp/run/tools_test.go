package run_test

import (
	"net/http"
	"strings"
	"testing"

	"mcpstorm/xk6-mcp/run"
)

// TestARuleThatNeverMeetsItsTool: the tools of a server of the user's own are not known
// before it is asked, so that a misspelt one is named when all is over.
func TestARuleThatNeverMeetsItsTool(t *testing.T) {
	t.Parallel()
	faults := `policy: 'settle', faults: [{ on: 'sim', cut: 'C4', share: 1, tool: 'respnd' }, { on: 'sim', cut: 'C4', share: 0.3 }],`
	o := own(t, faults, func(next http.Handler) http.Handler { return next })
	const want = "r01 had to mark something and marked nothing"
	if said := failing(t, o); o.Exit != run.ExitInconclusive || !strings.Contains(said, want) {
		t.Errorf("exit %d, and coverage says %q, want %q", o.Exit, said, want)
	}
}

// TestAMisspeltDeclaration: a class that is declared of no tool that is called is no class of
// the one that was meant, and the run passes nothing.
func TestAMisspeltDeclaration(t *testing.T) {
	t.Parallel()
	misspelt := `}; // the end of storm
storm.servers.sim.tools = { respnd: 'keyed' };
const nothing = {`
	o := own(t, misspelt, func(next http.Handler) http.Handler { return next })
	const want = "respond was called on sim and has no class among its tools"
	if said := failing(t, o); o.Exit != run.ExitInconclusive || !strings.Contains(said, want) {
		t.Errorf("exit %d, and coverage says %q, want %q", o.Exit, said, want)
	}
}
