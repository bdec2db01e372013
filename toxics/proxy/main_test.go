package proxy_test

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // crowds of short calls otherwise spend a third of their time on collection
	goleak.VerifyTestMain(m)
}
