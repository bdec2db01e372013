package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcpstorm/internal/clock"
)

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock.System
		base := clock.NewBase(c)
		if err := c.Sleep(t.Context(), time.Minute); err != nil || base.Nanos() != int64(time.Minute) {
			t.Errorf("slept %v, %v; want a minute", time.Duration(base.Nanos()), err)
		}
		if err := c.Sleep(t.Context(), -1); err != nil || base.Nanos() != int64(time.Minute) {
			t.Errorf("a negative pause: %v after %v", err, time.Duration(base.Nanos()))
		}
		if !base.Wall().Add(time.Minute).Equal(c.Now()) {
			t.Error("the base is not where the clock was")
		}
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		var c clock.System
		if err := c.Sleep(ctx, time.Hour); !errors.Is(err, why) {
			t.Errorf("Sleep: %v, want the context's cause", err)
		}
	})
}
