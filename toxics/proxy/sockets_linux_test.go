package proxy_test

import (
	"os"
	"strings"
	"testing"

	"mcpstorm/toxics/plan"
)

// sockets is how many sockets this process has open.
func sockets(t *testing.T) (n int) {
	t.Helper()
	const dir = "/proc/self/fd/"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink(dir + e.Name()) // what was just closed has none
		if err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

// TestNoSocketIsLeft holds connections, cuts single legs, and closes the proxy:
// every socket of it is closed, also where a client never left.
func TestNoSocketIsLeft(t *testing.T) {
	rules := map[string]plan.Rule{
		"hold": held(plan.C3, plan.Detail{}), "one way": held(plan.C4, plan.Detail{Way: plan.WayDown}),
		"one leg": cutting(plan.C3, plan.FIN), "forgotten": cutting(plan.C3w, plan.Hold),
	}
	leg := rules["one leg"]
	leg.Leg = plan.ClientLeg
	rules["one leg"] = leg
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			const calls = 10
			up := newUpstream(t)
			before := sockets(t)
			r := newRecords()
			p := startBefore(t, up.addr(), r, rule)
			var left []func()
			for i := range int64(calls) {
				conn := dial(t, p.Addr())
				if _, err := conn.Write([]byte(rawPost(ref(i, 1), body(ref(i, 1), "json")))); err != nil {
					t.Fatal(err)
				}
				left = append(left, func() { conn.Close() })
			}
			r.await(t, "every fault", func() bool { return len(r.faults) == calls })
			if n := sockets(t); n < before+3*calls {
				t.Errorf("%d sockets while connections are held, want at least %d", n, before+3*calls)
			}
			ends := (&rig{Proxy: p}).end
			ends(t)
			for _, leave := range left {
				leave()
			}
			up.CloseClientConnections()
			waitUntil(t, "every socket is closed", func() bool { return sockets(t) <= before })
		})
	}
}
