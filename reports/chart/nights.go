package chart

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// ErrNoNights says that there is no night to draw.
var ErrNoNights = errors.New("chart: no nights to draw")

// Night is one run of one night.
type Night struct {
	Name   string // what ran: a scenario and its era
	Wall   time.Time
	Status history.Status
	// Failed is the rate of rollouts that failed.
	Failed history.Interval
}

// mostNights is how many nights a chart shows: the last.
const mostNights = 30

// The layout of a chart of nights, in points.
const (
	nightsNames = 168 // width of the names
	nightsWords = 92  // width of what stands behind a row
	nightsPitch = 26
	nightsBase  = 58
	nightsGap   = 3 // between two nights
)

// Nights draws the last thirty nights: a row for each name, in order of appearance, and
// a cell for each night, by the day in UTC, with its failed rollouts in it. Of several
// runs of a name in a night the last counts. The error is ErrNoNights.
func Nights(list []Night, provenance string) (*Figure, error) {
	if len(list) == 0 {
		return nil, ErrNoNights
	}
	n := newNights(list, provenance)
	height := headerHeight(n.title()) + 24 + nightsPitch*vg.Length(len(n.names)) + nightsBase
	return &Figure{title: n.title(), alt: n.alt(), width: figureWidth, height: height, draw: n.draw}, nil
}

// WriteNights draws the last thirty nights into a folder, as nights.png and nights.svg,
// and returns the paths that it wrote.
func WriteNights(list []Night, provenance, dir string) ([]string, error) {
	figure, err := Nights(list, provenance)
	if err != nil {
		return nil, err
	}
	return figure.WriteFiles(filepath.Join(dir, "nights"))
}

type nights struct {
	names      []string
	days       []string // the last thirty, in order
	cells      map[string]map[string]Night
	provenance string
}

func newNights(list []Night, provenance string) *nights {
	n := &nights{cells: map[string]map[string]Night{}, provenance: provenance}
	for _, night := range list {
		day := night.Wall.UTC().Format(time.DateOnly)
		if n.cells[night.Name] == nil {
			n.cells[night.Name] = map[string]Night{}
			n.names = append(n.names, night.Name)
		}
		if before, ok := n.cells[night.Name][day]; !ok || !night.Wall.Before(before.Wall) {
			n.cells[night.Name][day] = night
		}
		if !slices.Contains(n.days, day) {
			n.days = append(n.days, day)
		}
	}
	slices.Sort(n.days)
	n.days = n.days[max(len(n.days)-mostNights, 0):]
	return n
}

// count counts the runs shown that have a status.
func (n *nights) count(name string, status history.Status) (count, of int) {
	for _, day := range n.days {
		if night, ok := n.cells[name][day]; ok {
			of++
			if night.Status == status {
				count++
			}
		}
	}
	return count, of
}

// title says how many runs passed, and what failed in the last night.
func (n *nights) title() string {
	passed, of := 0, 0
	var failing []string
	last := n.days[len(n.days)-1]
	for _, name := range n.names {
		p, all := n.count(name, history.Pass)
		passed, of = passed+p, of+all
		if night, ok := n.cells[name][last]; ok && night.Status != history.Pass {
			failing = append(failing, name+" "+statusWord(night.Status))
		}
	}
	text := fmt.Sprintf("%s of %s in %s passed", thousands(passed), count(of, "run"), count(len(n.days), "night"))
	switch {
	case len(failing) == 0:
		return text + "; all of the last night did"
	case len(failing) > 2:
		return fmt.Sprintf("%s; %d of the last night did not", text, len(failing))
	}
	return text + "; last night " + list(failing)
}

// statusWord is what a status that is no pass did.
func statusWord(s history.Status) string {
	if s == history.Fail {
		return "failed"
	}
	return "was " + string(s)
}

func (n *nights) subtitle() string {
	return dots("A cell is a run: blue passed, vermilion failed, grey was inconclusive", "the number is of rollouts that failed", n.days[0]+" to "+n.days[len(n.days)-1])
}

func (n *nights) draw(s *surface) {
	top := s.header(n.title(), n.subtitle()) - 24
	s.footer(n.provenance)
	left0, right0 := vg.Length(margin+nightsNames), s.width-margin-nightsWords
	width := (right0 - left0) / vg.Length(len(n.days))
	width = min(width, 40)
	for i, name := range n.names {
		y := top - nightsPitch*vg.Length(i)
		s.text(nameFace, ink, left, margin, y-nightsPitch/2-2, fit(nameFace, name, nightsNames-8))
		for j, day := range n.days {
			x := left0 + width*vg.Length(j)
			night, ok := n.cells[name][day]
			n.cell(s, night, ok, x, y, width)
		}
		passed, of := n.count(name, history.Pass)
		text := fmt.Sprintf("%s of %s passed", thousands(passed), thousands(of))
		s.text(tickFace, soft, left, left0+width*vg.Length(len(n.days))+8, y-nightsPitch/2-2, fit(tickFace, text, nightsWords))
	}
	n.ends(s, left0, width)
}

// cell draws one run: its status as a colour and, where there is room, how many rollouts
// failed. A night without a run is a line.
func (n *nights) cell(s *surface, night Night, ok bool, x, y, width vg.Length) {
	x0, x1, y0, y1 := x+nightsGap/2, x+width-nightsGap/2, y-nightsPitch+nightsGap, y-nightsGap
	if !ok {
		middle := (y0 + y1) / 2
		s.line(grid, 1, vg.Point{X: x0, Y: middle}, vg.Point{X: x1, Y: middle})
		return
	}
	fill := grey
	switch night.Status {
	case history.Pass:
		fill = blue
	case history.Fail:
		fill = vermilion
	}
	s.rect(fill, x0, y0, x1, y1)
	if text := thousands(night.Failed.Count); footerFace.width(text) < width-nightsGap {
		s.text(footerFace, paper, center, (x0+x1)/2, (y0+y1)/2-2.7, text)
	}
}

// ends writes the first and the last day under the rows.
func (n *nights) ends(s *surface, left0, width vg.Length) {
	y := vg.Length(nightsBase - 16)
	last := n.days[len(n.days)-1]
	end := left0 + width*vg.Length(len(n.days))
	if first := n.days[0]; first != last && end-left0 > tickFace.width(first)+tickFace.width(last)+12 {
		s.text(tickFace, soft, left, left0, y, first)
	}
	s.text(tickFace, soft, right, max(end, left0+tickFace.width(last)), y, last)
}

// alt describes the rows in words.
func (n *nights) alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s.", n.title(), n.subtitle())
	for _, name := range n.names {
		passed, of := n.count(name, history.Pass)
		fmt.Fprintf(&b, " %s: %s of %s passed.", name, thousands(passed), thousands(of))
	}
	return b.String()
}
