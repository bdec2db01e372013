package client

import (
	"context"
	"errors"
	"time"
)

// ErrCancelled is the cause of a context whose operation its caller has cancelled.
// The caller is then told what is known so far, within the grace of the policy: no
// other attempt is made, and what is still sent only ends what was begun.
var ErrCancelled = errors.New("client: cancelled by the caller")

// CancelAfter returns a context under which the caller cancels its operation after
// some time; zero or less is never.
func CancelAfter(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, ErrCancelled)
}

// Cancelled reports whether the operation under the context was cancelled by its
// caller, and not by the end of the run or by a deadline.
func Cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrCancelled) }
