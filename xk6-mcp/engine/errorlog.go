package engine

import (
	"cmp"
	"errors"
	"slices"
	"sync"
)

// errorKinds is how many different exceptions a run remembers.
const errorKinds = 32

// errorLog counts the exceptions of iterations, equal ones together.
type errorLog struct {
	mu     sync.Mutex
	counts map[string]*ErrorCount
}

func (l *errorLog) add(r IterationResult) {
	text, stack, callers := r.Err.Error(), "", ""
	var panicked *panicError
	if errors.As(r.Err, &panicked) {
		stack = panicked.stack
	} else if r.Exception != nil {
		stack, callers = r.Exception.Stack, r.Exception.callers()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts == nil {
		l.counts = make(map[string]*ErrorCount)
	}
	if c := l.counts[text]; c != nil {
		c.Count++
	} else if len(l.counts) < errorKinds {
		l.counts[text] = &ErrorCount{Text: text + callers, Stack: stack, Count: 1}
	}
}

// list returns the counts, the most frequent first.
func (l *errorLog) list() []ErrorCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []ErrorCount
	for _, c := range l.counts {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return list
}
