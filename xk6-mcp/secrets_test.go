package xk6mcp_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpstorm/history"
)

// How a server says back what it was sent in secret.
const (
	inARefusal    = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q}}`
	inAToolsError = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"isError":true}}`
	inNoTurn      = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`
)

// tellsAll is a server that answers every call with all that anybody has sent it in
// secret so far, for it mixes up whom it talks to.
func tellsAll(t *testing.T, status int, how string) string {
	var mu sync.Mutex
	secrets := map[string]bool{}
	return own(t, func(w http.ResponseWriter, r *http.Request, id string) {
		mu.Lock()
		defer mu.Unlock()
		for _, secret := range []string{r.Header.Get("Authorization"), r.Header.Get("X-Own-Key"), r.URL.Query().Get("token")} {
			secrets[secret] = true
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, how, id, "who is "+strings.Join(slices.Sorted(maps.Keys(secrets)), " or "))
	})
}

// TestAServersWordsKeepNoSecret: whatever a server makes of a credential, and whatever
// the script then makes of that, neither the records nor what is made of them hold it.
func TestAServersWordsKeepNoSecret(t *testing.T) {
	for _, policy := range []string{"settle", "go-sdk"} {
		for _, tt := range []struct {
			name   string
			status int
			how    string
			body   string
		}{
			{"refused", http.StatusUnauthorized, inARefusal, `own.callTool({ name: 'x' });`},
			{"answered with an error", http.StatusOK, inARefusal, `own.callTool({ name: 'x' });`},
			{"a tool's error", http.StatusOK, inAToolsError, `own.callTool({ name: 'x' });`},
			{"a reason to fail", http.StatusOK, inAToolsError, `rollout.fail(own.callTool({ name: 'x' }).text);`},
			{"an error of the script", http.StatusOK, inAToolsError, `throw new Error(own.callTool({ name: 'x' }).text);`},
			{"no turn", http.StatusOK, inNoTurn, `own.respond('');`},
			{"another's", http.StatusOK, inAToolsError, `own.callTool({ name: 'x' }); rollout.fail(rollout.connect('own').callTool({ name: 'x' }).text);`},
		} {
			t.Run(policy+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				url := strings.Replace(tellsAll(t, tt.status, tt.how), "/mcp", "/mcp?token=qu3ry-t0ken", 1)
				outcome, _ := drive(t, once(`{ own: { url: '`+url+`', policy: '`+policy+`', headers: { 'X-Own-Key': '0wn-k3y' } } }`, ``,
					`const own = rollout.connect('own', { bearer: 's3cr3t-bearer', deadline: '1s' });`+tt.body))
				for _, secret := range []string{"qu3ry-t0ken", "0wn-k3y", "s3cr3t-bearer"} {
					noneOf(t, outcome.Dir, secret)
				}
				if !strings.Contains(causes(outcome.History), "redacted:") {
					t.Errorf("no digest is in %q", causes(outcome.History))
				}
			})
		}
	}
}

// causes are the texts of all that did not end well.
func causes(h *history.Run) (all string) {
	for _, r := range h.Rollouts {
		if r.Cause != nil {
			all += r.Cause.Text + "\n"
		}
	}
	for _, o := range h.Ops {
		if o.Cause != nil {
			all += o.Cause.Text + "\n"
		}
	}
	return all
}
