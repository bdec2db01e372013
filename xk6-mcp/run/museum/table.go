package museum

// The ids of the invariants that catch something here.
const (
	turns    = "exactly-once-turns"
	replay   = "no-unsafe-replay"
	spurious = "no-spurious-failure"
	truth    = "truthful-outcome"
	bounded  = "bounded-retry"
	hang     = "no-hang"
)

// Exhibits are all of them, in order. The slice belongs to the caller.
func Exhibits() []Exhibit {
	return append(simulators(), clients()...)
}

// simulators are the exhibits of user simulators and tool servers.
func simulators() []Exhibit {
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
	}
}

// clients are the exhibits of clients.
func clients() []Exhibit {
	return []Exhibit{
		{
			ID: "FM-09", What: "a failed closing masks the result", Seen: "verifiers #2062, review", Policy: "teardown-masks",
			Invariant: spurious, Kind: "the answer had already been delivered",
			Why: "the result had come, the session could not be closed, and the caller is told that nothing is known",
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
			ID: "FM-13", What: "one connection is held for the whole rollout", Seen: "verifiers 0.2.0", Policy: "verifiers-0.2.0",
			Invariant: spurious, Kind: "another class than unsafe",
			Why: "the connection was forgotten while the model thought; a new one would have done, and none is opened",
		},
		{
			ID: "FM-19", What: "an unknown delivery is sent again", Seen: "verifiers #2062 at 4ad49c3d3", Policy: "at-least-once",
			Invariant: replay, Kind: "sent again while unknown",
			Why: "whether the first call arrived nobody at this end can know; this time it had not, and the next time it will have",
		},
		{
			ID: "FM-59", What: "looked up, not found, and sent again", Seen: "found here", Policy: "lookup",
			Invariant: replay, Kind: "executed twice or more",
			Why: "the look-up finds nothing because the original is still under way; sent again, both are carried out",
		},
	}
}
