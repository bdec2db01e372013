package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// taskName is the id of a task by its number.
func taskName(number int64) string { return wire.TaskID(0, number) }

// taskNumber is a task's number; ids of another form come first.
func taskNumber(task string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(task, "t"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// span is the tasks that one scenario of an arm has.
type span struct {
	arm         string
	first, last int64
}

// distance is how far a number lies outside.
func (s span) distance(number int64) int64 { return max(s.first-number, number-s.last, 0) }

// extent says which tasks a history holds: of each arm those that are nearest to a
// number.
func extent(run *history.Run, number int64) string {
	var nearest []span // one an arm, in the order of their tasks
	for _, s := range spans(run) {
		i := slices.IndexFunc(nearest, func(n span) bool { return n.arm == s.arm })
		if i < 0 {
			nearest = append(nearest, s)
		} else if s.distance(number) < nearest[i].distance(number) {
			nearest[i] = s
		}
	}
	var texts []string
	for _, s := range nearest {
		texts = append(texts, fmt.Sprintf("%s to %s in arm %s", taskName(s.first), taskName(s.last), s.arm))
	}
	if len(texts) == 0 {
		return "the run recorded no task"
	}
	return "the run's tasks are " + strings.Join(texts, ", ")
}

// spans are those of all arms, in the order of their tasks.
func spans(run *history.Run) []span {
	type block struct {
		arm    string
		number int64
	}
	byBlock := map[block]*span{}
	see := func(arm, task string) {
		number := taskNumber(task)
		of := block{arm, number / wire.BlockSize}
		s, ok := byBlock[of]
		if !ok {
			s = &span{arm, number, number}
			byBlock[of] = s
		}
		s.first, s.last = min(s.first, number), max(s.last, number)
	}
	for i := range run.Rollouts {
		see(run.Rollouts[i].Arm, run.Rollouts[i].Task)
	}
	for i := range run.Ops {
		see(run.Ops[i].Arm, history.TaskOfRollout(run.Ops[i].Rollout))
	}
	var list []span
	for _, s := range byBlock {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.arm, b.arm)) })
	return list
}
