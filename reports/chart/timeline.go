package chart

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// The layout of a timeline, in points.
const (
	plotLeft    = 54
	plotRight   = 552
	keyLeft     = plotRight + 8
	axisRoom    = 55 // from the lower edge to the lowest panel
	panelGap    = 36
	laneHeight  = 12
	laneGap     = 2
	mostLanes   = 3
	densityRoom = 20
	nameGap     = 14 // below the name of a panel without strips
	stripGap    = 6  // between the name of a panel and its strips
)

// Timeline draws one arm of a run over the seconds since its start: how many
// attempts and operations failed, above the latency of the operations that
// succeeded, with the faults over both. Everything counts in the bin in which it
// ended. The errors are ErrNoArm and ErrNoAttempts.
func Timeline(run *history.Run, o Options) (*Figure, error) {
	arm, err := find(run, o.Arm)
	if err != nil {
		return nil, err
	}
	m, err := measure(run, arm)
	if err != nil {
		return nil, err
	}
	for _, row := range o.Arms {
		if row.Arm == arm.Name {
			m.replayed = row.Replayed.Count
		}
	}
	return &Figure{
		title: m.title(), alt: m.alt(),
		width: figureWidth, height: figureHeight,
		draw: m.draw,
	}, nil
}

// WriteTimeline writes the timeline of every judged arm into a directory, as PNG
// and as SVG: timeline.png and timeline.svg, or timeline-ARM.png and
// timeline-ARM.svg where several arms are judged. An arm without attempts is
// left out; paths lists what was written even beside an error. rows is what the
// verdict says of the arms; nil leaves replays out of the titles.
func WriteTimeline(run *history.Run, rows []history.ArmRow, dir string) (paths []string, err error) {
	arms := judged(run)
	if len(arms) == 0 {
		_, err := find(run, "")
		return nil, err
	}
	for _, arm := range arms {
		name := "timeline"
		if len(arms) > 1 {
			name += "-" + url.PathEscape(arm.Name)
		}
		figure, armErr := Timeline(run, Options{Arm: arm.Name, Arms: rows})
		if armErr != nil {
			err = errors.Join(err, armErr)
			continue
		}
		written, armErr := figure.writeFiles(filepath.Join(dir, name))
		paths, err = append(paths, written...), errors.Join(err, armErr)
	}
	return paths, err
}

// writeFiles writes both formats and says which files are whole.
func (f *Figure) writeFiles(stem string) (paths []string, err error) {
	for _, format := range []struct {
		suffix string
		write  func(io.Writer) error
	}{{".png", f.WritePNG}, {".svg", f.WriteSVG}} {
		if err := writeFile(stem+format.suffix, format.write); err != nil {
			return paths, err
		}
		paths = append(paths, stem+format.suffix)
	}
	return paths, nil
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	defer func() {
		if closeErr := out.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("chart: closing %s: %w", path, closeErr)
		}
	}()
	return write(out)
}

// draw lays the whole timeline out, from the top and from the bottom inwards.
func (m *measures) draw(s *surface) {
	top := s.header(m.title(), m.subtitle())
	s.footer(m.footer())

	rows := lanes(m.faults.windows, mostLanes)
	top -= 20
	s.text(nameFace, ink, left, margin, top, "Error rate")
	top -= max(nameGap, m.stripsHeight(rows)+stripGap)
	height := (top - axisRoom - panelGap) / 2

	across := timeScale(m.length.Seconds())
	upper := &panel{surface: s, x0: plotLeft, x1: plotRight, y0: top - height, y1: top, x: across}
	lower := &panel{surface: s, x0: plotLeft, x1: plotRight, y0: axisRoom, y1: axisRoom + height, x: across}
	for _, w := range m.faults.windows {
		upper.bandAt(w.from, w.to)
		lower.bandAt(w.from, w.to)
	}
	m.drawLanes(upper, rows)
	m.drawErrors(upper)
	s.text(nameFace, ink, left, margin, lower.y1+11, "Latency of successful operations (log scale)")
	m.drawLatency(lower)
}

// stripsHeight is the room that everything above the upper panel takes.
func (m *measures) stripsHeight(rows [][]window) vg.Length {
	height := vg.Length(len(rows)) * laneHeight
	if m.faults.scattered.n > 0 {
		height += densityRoom
	}
	return height
}

// drawLanes names the fault windows above the upper panel, and shows faults that
// have no window as a density over them.
func (m *measures) drawLanes(p *panel, rows [][]window) {
	y := p.y1
	for i := len(rows) - 1; i >= 0; i-- {
		for _, w := range rows[i] {
			x0, x1 := p.x.at(w.from, p.x0, p.x1), p.x.at(w.to, p.x0, p.x1)
			p.rect(strip, x0, y, x1, y+laneHeight-laneGap/2)
			name, counted := w.name()
			if stripFace.width(counted) <= x1-x0-4 {
				name = counted
			}
			p.text(stripFace, stripInk, center, (x0+x1)/2, y+2.8, fit(stripFace, name, x1-x0-4))
		}
		y += laneHeight
	}
	if m.faults.scattered.n > 0 {
		m.drawDensity(p, y+2)
	}
}

// drawDensity shows, bin by bin, how many faults without a window were delivered.
func (m *measures) drawDensity(p *panel, y vg.Length) {
	const height = 6
	most := slices.Max(m.faults.byBin)
	for n, hits := range m.faults.byBin {
		if hits > 0 {
			x0, x1 := p.x.at(m.edge(n), p.x0, p.x1), p.x.at(m.edge(n+1), p.x0, p.x1)
			share := math.Sqrt(float64(hits) / float64(most))                     // a crowd at the start must not hide the rest
			p.rect(blend(band, dense, share), x0, y, min(x1+0.4, p.x1), y+height) // no seam between neighbours
		}
	}
	p.text(stripFace, stripInk, left, p.x0, y+height+3, m.faults.scattered.name())
}

func (m *measures) drawErrors(p *panel) {
	p.y = rateScale(highest(m.attemptRates, m.opRates), 0.1)
	p.axes("", false)
	p.area(m.clock, m.opRates, vermilionTint)
	p.steps(m.clock, m.attemptRates, grey, 1.3)
	p.steps(m.clock, m.opRates, vermilion, 1.9)

	y := p.y1 - 10
	p.key(y, grey, nil, 1.3, "attempts", percent(m.attempts.failed, m.attempts.of)+" failed")
	p.key(y-32, vermilion, vermilionTint, 1.9, "operations", percent(m.ops.failed, m.ops.of)+" failed")
}

// key explains a line in the right margin, with a number under its name.
func (p *panel) key(y vg.Length, stroke, fill color.Color, width vg.Length, name, value string) {
	if fill != nil {
		p.rect(fill, keyLeft, y-4, keyLeft+14, y+3)
	}
	p.line(stroke, width, vg.Point{X: keyLeft, Y: y + 3}, vg.Point{X: keyLeft + 14, Y: y + 3})
	p.text(nameFace, ink, left, keyLeft+19, y, name)
	p.text(tickFace, soft, left, keyLeft+19, y-11, value)
}

func (m *measures) drawLatency(p *panel) {
	lines := []struct {
		name   string
		series series
		color  color.Color
		text   color.Color
		width  vg.Length
	}{
		{"p99", m.p99, blue, blue, 1.9},
		{"p95", m.p95, blueMiddle, blueText, 1.4},
		{"p50", m.p50, bluePale, blueText, 1.4},
	}
	if m.succeeded == 0 {
		p.y = latencyScale(0.001, 1)
		p.axes("Seconds since start", true)
		p.text(tickFace, soft, center, (p.x0+p.x1)/2, (p.y0+p.y1)/2, "no operation succeeded")
		return
	}
	p.y = latencyScale(lowest(m.p50), highest(m.p99))
	p.axes("Seconds since start", true)
	for _, l := range slices.Backward(lines) { // the darkest lies on top
		p.steps(m.clock, l.series, l.color, l.width)
	}
	var labels []label
	for _, l := range lines {
		labels = append(labels, label{l.name, l.text, p.y.at(l.series.last(), p.y0, p.y1) - 3.3})
	}
	spread(labels, p.y0-3, p.y1-6, 12)
	for _, l := range labels {
		p.text(nameFace, l.color, left, keyLeft, l.y, l.text)
	}
}

// alt describes the timeline in words.
func (m *measures) alt() string {
	return fmt.Sprintf("%s. %s. Two panels over %s since the start: the error rate of attempts and of operations, "+
		"and the p50, p95 and p99 latency of successful operations. %s of attempts and %s of operations failed.",
		m.title(), m.subtitle(), seconds(m.length), percent(m.attempts.failed, m.attempts.of), percent(m.ops.failed, m.ops.of))
}
