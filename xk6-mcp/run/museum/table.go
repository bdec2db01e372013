package museum

import (
	"cmp"
	"slices"
	"strings"
)

// The ids of the invariants that catch something here.
const (
	turns    = "exactly-once-turns"
	replay   = "no-unsafe-replay"
	spurious = "no-spurious-failure"
	truth    = "truthful-outcome"
	bounded  = "bounded-retry"
	hang     = "no-hang"
	isolated = "isolation"
	blast    = "blast-radius"
)

// Exhibits are all of them, in order. The slice belongs to the caller.
func Exhibits() []Exhibit {
	list := slices.Concat(servers(), retries(), lifeCycles(), words())
	slices.SortFunc(list, func(a, b Exhibit) int { return cmp.Compare(a.order(), b.order()) })
	return list
}

// order puts FM-26 before FM-26a, and both before FM-59.
func (e Exhibit) order() string {
	number := strings.TrimPrefix(e.ID, "FM-")
	if len(number) < 2 || number[1] > '9' {
		number = "0" + number
	}
	return number
}

// servers are the exhibits that a reference server carries.
func servers() []Exhibit {
	return []Exhibit{
		{
			ID: "FM-01", What: "no replay log", Seen: "verifiers 0.2.0", Bug: "FM-01",
			Invariant: turns, Kind: "the simulator advanced twice for one key",
			Why: "a turn whose answer was lost is asked for again, and the simulator takes another one: the user skips a turn",
		},
		{
			ID: "FM-04", What: "a replay log without a lock", Seen: "verifiers #2062 at 158d74539", Bug: "FM-04",
			Invariant: turns, Kind: "the simulator advanced twice for one key",
			Why: "the repeat comes while the first call is still at work, does not find it in the log, and takes another turn",
		},
		{
			ID: "FM-05", What: "a turn is visible before it is committed", Seen: "verifiers #2062 before cb195606c", Bug: "FM-05",
			Invariant: turns, Kind: "handed over before it was committed",
			Why: "the repeat is answered while the state of its turn is still on its way: who acts on the answer reads a state without it, and if the write fails the turn was never taken",
		},
		{
			ID: "FM-07", What: "the sequence number is not read", Seen: "verifiers before 0.2.1", Bug: "FM-07",
			Invariant: turns, Kind: "the simulator advanced twice for one key",
			Why: "without the number a repeat cannot be told from a new turn, and takes one",
		},
		{
			ID: "FM-24", What: "a mutation says that it is idempotent", Seen: "verifiers #2154", Bug: "FM-24",
			Invariant: replay, Kind: "said to be idempotent, and changed the state again",
			Why: "a client that believes the tool sends it again with good reason, and the entry is there twice",
		},
		{
			ID: "FM-26a", What: "a failed commit is not undone", Seen: "verifiers 0.2.1", Bug: "FM-26a",
			Invariant: turns, Kind: "the simulator advanced twice for one key",
			Why: "the simulator advanced, its state could not be written, and the next attempt advances it once more",
		},
		{
			ID: "FM-26b", What: "a replay log of one turn", Seen: "verifiers 0.2.1", Bug: "FM-26b",
			Invariant: turns, Kind: "the simulator advanced twice for one key",
			Why: "a repeat of an older turn is not in the log any more, and takes a new one",
		},
		{
			ID: "FM-31", What: "a tool blocks the loop", Seen: "NeMo Gym", Bug: "FM-31",
			Invariant: blast, Kind: "without a fault of its own",
			Why: "one call takes its time, and every other rollout waits for it: theirs run out of time, though nothing befell them",
		},
		{
			ID: "FM-33", What: "one session's call lands in another's", Seen: "NeMo Gym", Bug: "FM-33",
			Invariant: isolated, Kind: "an operation of one task reached another",
			Why: "who is asking is kept in a place that all share, and whoever asked last is taken for everyone",
		},
	}
}

// retries are the exhibits of what clients send again, and what they do not.
func retries() []Exhibit {
	return []Exhibit{
		{
			ID: "FM-08", What: "an answer that cannot be read is asked for again", Seen: "verifiers #2062 at dc1a15bc6", Policy: "verifiers-dc1a15bc6",
			Invariant: bounded, Kind: "called again after its answer",
			Why: "the answer came, and it comes out the same however often it is asked for; a simulator that keeps no record would take a turn each time",
		},
		{
			ID: "FM-11", What: "nothing is sent again that was sent", Seen: "verifiers #2062 at fea04957b", Policy: "at-most-once",
			Invariant: spurious, Kind: "another class than unsafe",
			Why: "the call names its turn, so that a repeat is harmless, and the rollout is given up all the same",
		},
		{
			ID: "FM-12", What: "everything is sent again", Seen: "verifiers #2062 at dc1a15bc6", Policy: "at-least-once",
			Invariant: replay, Kind: "executed twice or more",
			Why: "the mutation was carried out and only its answer was lost: sent again, it is carried out twice",
		},
		{
			ID: "FM-14", What: "only a broken connection is tried again", Seen: "verifiers #2062 at 10c58131c", Policy: "verifiers-10c58131c",
			Invariant: spurious, Kind: "nothing ran and the client could know",
			Why: "a front end was busy for a moment while the session was opened; nothing had been asked yet, and the rollout is given up",
		},
		{
			ID: "FM-15", What: "a refusal is sent again", Seen: "verifiers #2062 at 4ad49c3d3; 0.2.1 with answered errors", Policy: "verifiers-4ad49c3d3",
			Invariant: bounded, Kind: "called again after its answer",
			Why: "the request was refused for what it is, and will be each time",
		},
		{
			ID: "FM-16", What: "a broken connection cancels who would try again", Seen: "verifiers 0.2.1 to 0.3.0 and main", Policy: "verifiers-0.2.1",
			Invariant: spurious, Kind: "nothing ran and the client could know",
			Why: "the failure comes out of the transport as a cancel, which the loop of six attempts does not catch: one attempt, and the program ends",
		},
		{
			ID: "FM-19", What: "an unknown delivery is sent again", Seen: "verifiers #2062 at 4ad49c3d3", Policy: "at-least-once",
			Invariant: replay, Kind: "sent again while unknown",
			Why: "whether the first call arrived nobody at this end can know; this time it had not, and the next time it will have",
		},
		{
			ID: "FM-20", What: "a rollout is run again after an unknown mutation", Seen: "verifiers before #2134", Policy: "ignores-veto",
			Invariant: replay, Kind: "executed twice or more",
			Why: "the client itself did not send the call again, and the loop around it does: the whole rollout begins anew, and carries it out once more",
		},
		{
			ID: "FM-59", What: "looked up, not found, and sent again", Seen: "in no real system yet", Policy: "lookup",
			Invariant: replay, Kind: "executed twice or more",
			Why: "the look-up finds nothing because the original is still under way; sent again, both are carried out",
		},
	}
}

// lifeCycles are the exhibits of sessions, and of calls that have to end.
func lifeCycles() []Exhibit {
	return []Exhibit{
		{
			ID: "FM-09", What: "a failed closing masks the result", Seen: "verifiers #2062, review", Policy: "teardown-masks",
			Invariant: spurious, Kind: "the answer had already been delivered",
			Why: "the result had come, the session could not be closed, and the caller is told that nothing is known",
		},
		{
			ID: "FM-10", What: "a closing that hangs keeps the result back", Seen: "every release of verifiers", Policy: "verifiers-0.2.1",
			Invariant: hang, Kind: "was never told anything",
			Why: "the result had come, and the caller waits for the closing of a session that nobody needs any more",
		},
		{
			ID: "FM-13", What: "one connection is held for the whole rollout", Seen: "verifiers 0.2.0", Policy: "verifiers-0.2.0",
			Invariant: spurious, Kind: "another class than unsafe",
			Why: "the connection was forgotten while the model thought; a new one would have done, and none is opened",
		},
		{
			ID: "FM-17", What: "a cancelled call does not end", Seen: "verifiers 0.2.1 to 0.3.0 and main", Policy: "verifiers-0.2.1",
			Invariant: hang, Kind: "was never told anything",
			Why: "its caller has given the call up, and still waits for the closing of its session",
		},
		{
			ID: "FM-18", What: "a cancelled call is sent again", Seen: "verifiers #2062, review", Policy: "ignores-cancel",
			Invariant: bounded, Kind: "sent after its caller had cancelled it",
			Why: "nobody wants the call any more; taken for one more failure, the cancel brings another attempt",
		},
		{
			ID: "FM-26", What: "an answer that cannot be read is waited for", Seen: "every release of verifiers, MCP Python SDK 1.28.1", Policy: "verifiers-0.2.1",
			Invariant: hang, Kind: "was never told anything",
			Why: "the answer came and is broken; no other will come, and the client waits for one without a bound",
		},
	}
}

// words are the exhibits of what clients say of a call.
func words() []Exhibit {
	return []Exhibit{
		{
			ID: "FM-22", What: "the diagnostics lose the status", Seen: "verifiers #2134", Policy: "verifiers-2134",
			Invariant: truth, Kind: "diagnosed without its status",
			Why: "a refusal, a busy front end and a crash are written down alike, and whoever decides by it what to try again cannot tell them apart",
		},
		{
			ID: "FM-23", What: "a tool's error is handed on as its result", Seen: "verifiers before #2138", Policy: "verifiers-0.2.1",
			Invariant: truth, Kind: "told ok and not executed",
			Why: "the tool refused and did nothing; the model reads the text of the error as what the tool found",
		},
	}
}
