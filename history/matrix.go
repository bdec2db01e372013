package history

// Meaning is what one pair of told and executed says about an operation.
type Meaning string

// The meanings of a pair. The first five and MeaningStopped are nobody's wrong.
const (
	MeaningGood Meaning = "good"
	// MeaningCautious is told unknown of an operation that was not executed and of
	// which the client could know that: honest, and dearer than it had to be.
	MeaningCautious Meaning = "over-cautious"
	// MeaningHarmless is a second execution of an operation whose repeat changes
	// nothing by its server's contract.
	MeaningHarmless Meaning = "harmless repeat"
	// MeaningReissued is a second execution that the client's setting asked for:
	// see Manifest.Reissue.
	MeaningReissued Meaning = "re-issued as the changelog asks"
	// MeaningFrontEnd is a lie that a front end told, by a definite refusal after it
	// had forwarded the request.
	MeaningFrontEnd Meaning = "a front end's lie"
	// MeaningStopped is told nothing because the run was stopped.
	MeaningStopped Meaning = "stopped"
	// MeaningUndecided says that the interval holds both a right and a wrong number.
	MeaningUndecided Meaning = "cannot tell"

	MeaningFalse      Meaning = "false success"
	MeaningLie        Meaning = "lie: invites a replay"
	MeaningReplay     Meaning = "replay"
	MeaningHang       Meaning = "hang"
	MeaningHangReplay Meaning = "hang and replay"
	// MeaningHalf is an execution that was begun and neither committed nor aborted.
	MeaningHalf Meaning = "half-done"
)

// Wrong reports whether an operation of this meaning went wrong.
func (m Meaning) Wrong() bool {
	switch m {
	case MeaningFalse, MeaningLie, MeaningReplay, MeaningHang, MeaningHangReplay, MeaningHalf:
		return true
	}
	return false
}

// Often is how many executions count as too many to be told apart: an operation
// executed 2 times and one executed 9 times stand in one cell.
const Often = 2

// TruthCell is one cell of an arm's table of told by truth: operations that were
// told the same, were executed as often, and mean the same.
type TruthCell struct {
	Told Told `json:"told"`
	// Low and High bound how often each of the operations was executed, from 0 to
	// Often, which stands for itself and more. They differ where nothing tells.
	Low     int     `json:"low"`
	High    int     `json:"high"`
	Meaning Meaning `json:"meaning"`
	Count   int     `json:"count"`
}

// TruthTable is the told-by-truth table of one arm: only cells that occur, in
// order of told, then of Low, High and Meaning. It counts every operation that has
// a key, once for each rollout that wanted it.
type TruthTable struct {
	Arm   string      `json:"arm"`
	Cells []TruthCell `json:"cells"`
}
