package chart

import (
	"image/color"
	"sync"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"mcpstorm/reports/safe"
)

// The colours. Every tint is blended beforehand and opaque, so that PNG and SVG
// agree and nothing darkens where two overlap.
var (
	ink   = rgb(0x1F2328)
	soft  = rgb(0x57606A)
	axis  = rgb(0x8C959F)
	grid  = rgb(0xE3E6EA)
	paper = rgb(0xFFFFFF)

	grey          = rgb(0x7D8793)
	vermilion     = rgb(0xC8500A)
	vermilionTint = rgb(0xF3D8C8)

	green = rgb(0x007A5A)

	// Ordered series are tints of one hue, the highest quantile darkest.
	blue       = rgb(0x0072B2)
	blueMiddle = rgb(0x4C9CCB)
	bluePale   = rgb(0x8CC0DF)
	// blueText is the palest blue that can still be read as text.
	blueText = rgb(0x3A87B8)

	band     = rgb(0xF6F1E4)
	strip    = rgb(0xE2D3A8)
	stripInk = rgb(0x5C4B14)
	// The heal phase is told from a window of faults by its hue and by its name.
	healBand  = rgb(0xEEF4F2)
	healStrip = rgb(0xBFD8D0)
	// dense is the strip's colour at the bin with the most faults.
	dense = rgb(0xA8842A)
)

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xFF}
}

// blend is the colour at the share t, in [0, 1], of the way from a to b.
func blend(a, b color.RGBA, t float64) color.RGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + 0.5) }
	return color.RGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xFF}
}

// The typefaces, one for each part of a figure.
var (
	titleFace    = typeface{size: 14, bold: true}
	subtitleFace = typeface{size: 9.5}
	nameFace     = typeface{size: 9.5, bold: true}
	tickFace     = typeface{size: 9}
	stripFace    = typeface{size: 8, bold: true}
	footerFace   = typeface{size: 7.5}
)

// typeface is Liberation Sans in one size, in points, and weight.
type typeface struct {
	size vg.Length
	bold bool
}

var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func (t typeface) face() font.Face {
	wanted := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if t.bold {
		wanted.Weight = xfont.WeightBold
	}
	return fonts().Lookup(wanted, t.size)
}

// width is how wide a text comes out, in points.
func (t typeface) width(text string) vg.Length {
	face := t.face()
	return face.Width(safe.Printable(text))
}
