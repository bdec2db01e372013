package history

import "strings"

// TaskOfRollout is the task that a rollout runs: t000017 of t000017.2. An id of another form
// is its own task.
func TaskOfRollout(rollout string) string {
	task, _, _ := strings.Cut(rollout, ".")
	return task
}

// TaskOfOp is the task that an operation is part of: t000017 of t000017/s03. An id of another
// form is its own task.
func TaskOfOp(op string) string {
	task, _, _ := strings.Cut(op, "/")
	return task
}
