package main

import (
	"slices"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// The axes of the matrix.
var (
	cuts    = []string{plan.C0, plan.C1, plan.C2, plan.C3, plan.C3w, plan.C4, plan.C5, plan.C6, plan.C7, plan.C8}
	manners = []string{plan.FIN, plan.RST, plan.Hold, plan.Status, plan.Late}
	presets = []string{"verifiers-0.2.0", "go-sdk", "at-most-once", "verifiers-2134", "at-least-once", "settle", "resume"}
	// classes are the replay classes of the two calls of a rollout: an append to the
	// ledger, which answers with event streams, and a turn of the user simulator, which
	// answers with JSON of a told length.
	classes = []history.ReplayClass{history.Unsafe, history.Keyed}
)

// opens is which of a rollout's calls the first exchange of a preset belongs to: the
// connect, where it opens a held session or asks what the server is. closes is which of
// them the end of a session belongs to: the SDK's client counts it to the connect.
func opens(era, preset string) string {
	if era == wire.EraStateless || slices.Contains([]string{"verifiers-0.2.0", "go-sdk", "resume"}, preset) {
		return "connect"
	}
	return "call"
}

func closes(preset string) string {
	switch preset {
	case "go-sdk":
		return "connect"
	case "verifiers-0.2.0", "resume":
		return "close"
	}
	return "call"
}

// cell is one place of the matrix.
type cell struct {
	Era    string              `json:"era"`
	Preset string              `json:"preset"`
	Class  history.ReplayClass `json:"class"`
	Cut    string              `json:"cut"`
	Manner string              `json:"manner"`
}

// point is what a fault of some cells is to the script.
type point struct {
	Cut    string               `json:"cut"`
	Manner string               `json:"manner"`
	At     history.ExchangeRole `json:"at"`
	Status int                  `json:"status,omitempty"`
	Late   string               `json:"late,omitempty"`
}

// The detail that manners need: a status that proves nothing, and a lateness within
// any deadline.
const (
	unclear = 503
	late    = "50ms"
)

// role is the exchange that the cell's cut breaks.
func (c cell) role() history.ExchangeRole {
	switch {
	case c.Cut == plan.C8:
		return history.RoleDelete
	case c.Cut != plan.C0:
		return history.RoleCall
	case c.Era == wire.EraSessions:
		return history.RoleInitialize
	}
	return history.RoleDiscover
}

// impossible says why the cell cannot occur, or nothing when it can.
func (c cell) impossible() string {
	if why := plan.Impossible(c.Cut, c.Manner, c.role()); why != "" {
		return why
	}
	switch {
	case c.Cut == plan.C8 && c.Era == wire.EraStateless:
		return "the era has no sessions, and nothing to clean up"
	case c.Cut == plan.C7 && c.Class == history.Keyed:
		return "the answer's length is told: its stream cannot be left open"
	}
	return ""
}

// point is the cell's fault. Cells that differ in their class share it.
func (c cell) point() point {
	p := point{Cut: c.Cut, Manner: c.Manner, At: c.role()}
	switch c.Manner {
	case plan.Status:
		p.Status = unclear
	case plan.Late:
		p.Late = late
	}
	return p
}

// cellsOf are all cells of one era and preset, in order.
func cellsOf(era, preset string) (cells []cell) {
	for _, cut := range cuts {
		for _, manner := range manners {
			for _, class := range classes {
				cells = append(cells, cell{era, preset, class, cut, manner})
			}
		}
	}
	return cells
}

// pointsOf are the faults of the cells that can occur: those that hold something until
// a deadline, and the rest.
func pointsOf(cells []cell) (quick, slow []point) {
	for _, c := range cells {
		switch p := c.point(); {
		case c.impossible() != "" || slices.Contains(quick, p) || slices.Contains(slow, p):
		case c.Manner == plan.Hold:
			slow = append(slow, p)
		default:
			quick = append(quick, p)
		}
	}
	return quick, slow
}
