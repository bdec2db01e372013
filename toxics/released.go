package toxics

import "github.com/Shopify/toxiproxy/v2/toxics"

func init() {
	toxics.Register("latency", new(Latency))
	toxics.Register("slicer", new(Slicer))
}

// Latency is toxiproxy's latency. A connection that is over is not kept waiting any more.
type Latency struct {
	toxics.LatencyToxic
	hubbed
}

// Pipe implements toxiproxy's Toxic.
func (t *Latency) Pipe(stub *toxics.ToxicStub) { actWhileOpen(stub, &t.LatencyToxic) }

// Slicer is toxiproxy's slicer. A connection that is over is not kept waiting any more.
type Slicer struct {
	toxics.SlicerToxic
	hubbed
}

// Pipe implements toxiproxy's Toxic.
func (t *Slicer) Pipe(stub *toxics.ToxicStub) { actWhileOpen(stub, &t.SlicerToxic) }

// actWhileOpen lets a toxic act until both sockets are closed, and passes everything on
// after that. Without a connection the toxic acts for good.
func actWhileOpen(stub *toxics.ToxicStub, toxic toxics.Toxic) {
	c := connOf(stub)
	switch {
	case c == nil:
		toxic.Pipe(stub)
	case actUntil(stub, c.cut.legs.Closed(), toxic, nil):
		new(toxics.NoopToxic).Pipe(stub)
	}
}
