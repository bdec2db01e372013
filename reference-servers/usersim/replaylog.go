package usersim

import (
	"errors"
	"fmt"

	refserver "mcpstorm/reference-servers"
)

// logDepth is how many turns a conversation remembers for repeats.
const logDepth = 1024

// Why a call with a used sequence number is refused.
var (
	errConflict  = errors.New("used before with another message")
	errForgotten = errors.New("older than the replay log")
)

// replayLog remembers the latest turns by their sequence numbers. What has been
// dropped is refused and never taken for new: a number at or below the highest
// one dropped is too old to tell, as to the left of an anti-replay window.
type replayLog struct {
	depth     int
	forgetful bool // a planted bug: what was dropped counts as new
	once      bool // a planted bug: a turn is served once and then dropped

	entries map[int64]entry
	order   []int64 // sequence numbers in the order of their turns
	dropped int64   // the highest sequence number dropped, or noSeq
}

// entry is what was asked under a sequence number, and the turn it gave.
type entry struct {
	digest string // of the message
	turn   turn
}

func newReplayLog(cfg refserver.Config) replayLog {
	log := replayLog{depth: logDepth, dropped: noSeq, entries: make(map[int64]entry)}
	switch {
	case cfg.HasBug(noReplayLog):
		log.depth, log.forgetful = 0, true
	case cfg.HasBug(depthOneLog):
		log.depth, log.forgetful = 1, true
	case cfg.HasBug(oneRepeat):
		log.once, log.forgetful = true, true
	}
	return log
}

// find gives the recorded turn of the same call, nil for a sequence number that
// was not used, and an error for one that cannot be served.
func (l *replayLog) find(call call) (*turn, error) {
	found, ok := l.entries[call.seq]
	switch {
	case ok && found.digest != call.digest:
		return nil, fmt.Errorf("%s: %w", call.key, errConflict)
	case ok:
		if l.once {
			delete(l.entries, call.seq)
		}
		return &found.turn, nil
	case call.seq <= l.dropped && !l.forgetful:
		return nil, fmt.Errorf("%s: %w", call.key, errForgotten)
	}
	return nil, nil
}

// add remembers a turn, and drops the oldest if there are too many.
func (l *replayLog) add(call call, taken turn) {
	if _, again := l.entries[call.seq]; !again {
		l.order = append(l.order, call.seq)
	}
	l.entries[call.seq] = entry{digest: call.digest, turn: taken}
	for len(l.order) > l.depth {
		oldest := l.order[0]
		l.order = l.order[1:]
		delete(l.entries, oldest)
		l.dropped = max(l.dropped, oldest)
	}
}
