package html

// Tone is how a word is meant, which its colour repeats. It never stands for the word.
type Tone string

// The tones.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Warn  Tone = "warn"
	Soft  Tone = "soft" // of less weight
)

// Page is everything that a report says, in the order in which it says it. A part that
// is empty is left out.
type Page struct {
	Title string // of the window
	Run   string // the run's id
	When  string

	Tone     Tone     // of the verdict
	Verdict  string   // one word
	Headline string   // what was found, in one sentence
	Reasons  []string // why, a sentence each
	Lead     string   // what was done, in one or two sentences
	Figures  []Figure

	Asserted []Assertion
	Missing  []Line // what could not be judged, or was not covered
	Proofs   []Proof
	Charts   []Chart

	Phases     []Table
	Truth      []Table
	Arms       *Table
	Thresholds []Table
	Metrics    []Table
	Plan       []Table
	Host       []Pair

	Command string   // that makes the run again
	Notes   []string // about the command and the run
}

// Figure is a number to be seen first.
type Figure struct {
	Name, Value, Note string
	Tone              Tone
}

// Assertion is what one invariant came to.
type Assertion struct {
	ID      string
	Status  string
	Tone    Tone
	Doc     string // when it holds
	Finding string
	Clauses []Line // its parts, if it has any
}

// Proof is the evidence for one violation.
type Proof struct {
	ID      string
	Text    string
	Events  []string
	Command string // that tells all of it
}

// Chart is a picture and what it shows, in words.
type Chart struct {
	SVG   []byte
	Title string
	Alt   string
}

// Table is a table with a name. The first cell of a row is its head.
type Table struct {
	Name string
	Note string // under it
	Head []string
	Rows [][]Cell
	// Folded tables are opened by their reader.
	Folded bool
}

// Cell is one cell, of one line or more.
type Cell []Line

// Line is a text with a tone.
type Line struct {
	Text string
	Tone Tone
}

// Pair is a name and what it is.
type Pair struct{ Name, Value string }

// Text is a cell of one plain line.
func Text(text string) Cell { return Cell{{Text: text}} }
