package chart

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// finite is a canvas that takes nothing but numbers.
type finite struct{ t *rapid.T }

func (f *finite) check(lengths ...vg.Length) {
	for _, l := range lengths {
		if v := float64(l); math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e5 {
			f.t.Fatalf("a figure draws at %g", v)
		}
	}
}

func (f *finite) path(p vg.Path) {
	for _, part := range p {
		f.check(part.Pos.X, part.Pos.Y, part.Radius)
	}
}

func (f *finite) SetLineWidth(w vg.Length)                 { f.check(w) }
func (f *finite) SetLineDash(p []vg.Length, off vg.Length) { f.check(append(p, off)...) }
func (f *finite) SetColor(color.Color)                     {}
func (f *finite) Rotate(float64)                           {}
func (f *finite) Translate(p vg.Point)                     { f.check(p.X, p.Y) }
func (f *finite) Scale(float64, float64)                   {}
func (f *finite) Push()                                    {}
func (f *finite) Pop()                                     {}
func (f *finite) Stroke(p vg.Path)                         { f.path(p) }
func (f *finite) Fill(p vg.Path)                           { f.path(p) }
func (f *finite) FillString(_ font.Face, p vg.Point, _ string) {
	f.check(p.X, p.Y)
}
func (f *finite) DrawImage(vg.Rectangle, image.Image) {}
