package chart

import "gonum.org/v1/plot/vg"

// Where the texts around a chart stand, in points.
const (
	margin       = 18
	titleTop     = 12 // from the upper edge to the top of the title
	titlePitch   = 17
	subtitleDrop = 16
	footerLine   = 13 // from the lower edge to the footer's baseline
)

// textWidth is how wide the texts around a chart may be.
const textWidth = figureWidth - 2*margin

// header writes title and subtitle and returns the baseline of the subtitle.
func (s *surface) header(title, subtitle string) vg.Length {
	y := s.height - titleTop
	for _, line := range wrap(titleFace, title, textWidth) {
		y -= titlePitch
		s.text(titleFace, ink, left, margin, y, line)
	}
	y -= subtitleDrop
	s.text(subtitleFace, soft, left, margin, y, fit(subtitleFace, subtitle, textWidth))
	return y
}

// noteDrop is how far a note stands below a subtitle.
const noteDrop = 12.5

// headerNoted is header with a second line under the subtitle, and returns the
// baseline of that.
func (s *surface) headerNoted(title, subtitle, note string) vg.Length {
	y := s.header(title, subtitle) - noteDrop
	s.text(subtitleFace, soft, left, margin, y, fit(subtitleFace, note, textWidth))
	return y
}

// headerHeight is how far below the upper edge header ends.
func headerHeight(title string) vg.Length {
	return titleTop + titlePitch*vg.Length(len(wrap(titleFace, title, textWidth))) + subtitleDrop
}

// footer writes where the numbers come from.
func (s *surface) footer(text string) {
	s.text(footerFace, soft, left, margin, footerLine, fit(footerFace, text, textWidth))
}
