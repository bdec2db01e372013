package stats

// TrialsNeededFor is TrialsNeeded with any power, which published examples have.
var TrialsNeededFor = trialsNeeded
