package toxics

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// HubOptions are what the toxics of one proxy share.
type HubOptions struct {
	Arm      string
	Server   string // the server's name in the script
	KeyRule  wire.KeyRule
	Decider  Decider     // nil marks nothing
	Receipts ReceiptSink // nil drops them
	Tap      Tap         // nil drops them
	Toxics   []plan.Rule // toxiproxy's own, of which those of this server with a window get a Gate
	Base     *clock.Base // nil records every instant as zero
	// Kill ends the server's process with all its connections, of which first cuts
	// one, and starts it again. It returns once that one is cut, and first's error
	// if it could not be: nothing is killed then. Nil where no process can be ended.
	Kill func(b plan.Burst, first func() error) error
}

// Hub connects the toxics of one proxy, which toxiproxy makes from JSON, with the
// rest of the program and with each other. All methods may be called from any
// goroutine.
type Hub struct {
	opts  HubOptions
	id    string
	idles []plan.Idle
	gates []*Gate

	mu      sync.Mutex
	current *Conn // the connection whose links are being started

	untracked atomic.Int64
	begun     atomic.Int64 // when the arm began, since the base; -1 before
}

// hubs finds a hub by the id in a toxic's attributes.
var (
	hubs    sync.Map
	hubSeen atomic.Int64
)

// NewHub returns a hub. Close must be called to forget it.
func NewHub(opts HubOptions) *Hub {
	h := &Hub{opts: opts, id: "hub-" + strconv.FormatInt(hubSeen.Add(1), 10)}
	if opts.Decider != nil {
		h.idles = opts.Decider.Idles(opts.Server)
	}
	h.makeGates()
	h.begun.Store(-1)
	hubs.Store(h.id, h)
	return h
}

// ID is what the "hub" attribute of a toxic must say to reach this hub.
func (h *Hub) ID() string { return h.id }

// Close forgets the hub. Connections that are open are not touched.
func (h *Hub) Close() { hubs.Delete(h.id) }

// Begin says that the arm begins now: the zero of every window and burst. Only
// the first call counts, which returns true.
func (h *Hub) Begin() bool { return h.begun.CompareAndSwap(-1, int64(h.now())) }

// Elapsed is the time since the arm began, or a negative one before.
func (h *Hub) Elapsed() time.Duration {
	begun := h.begun.Load()
	if begun < 0 {
		return -1
	}
	return time.Duration(int64(h.now()) - begun)
}

// Start calls links, which must start both links of the connection. A toxic asks
// for its state while its link starts, so that is how it learns of its
// connection; two connections are never started at once.
func (h *Hub) Start(c *Conn, links func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.current = c
	defer func() { h.current = nil }()
	links()
}

// Untracked is how many connections the taps could not follow to their end,
// because the bytes were no HTTP/1.1 or over a limit.
func (h *Hub) Untracked() int64 { return h.untracked.Load() }

// starting is the connection whose links are being started under a hub, or nil.
// It is called by the toxics' NewState, within Start.
func starting(hub string) *Conn {
	h, ok := hubs.Load(hub)
	if !ok {
		return nil
	}
	return h.(*Hub).current
}

// joining is starting, for a toxic that the connection waits for at its end.
func joining(hub string) *Conn {
	c := starting(hub)
	if c != nil {
		c.halves.Add(1)
	}
	return c
}

// Installed records that one of toxiproxy's own toxics stands in the connection.
func (h *Hub) Installed(conn int64, rule, toxic string) {
	h.receipt(history.Fault{Rule: rule, Toxic: toxic, State: history.FaultInstalled, Conn: conn, At: h.now()})
}

// receipt completes a record and hands it over.
func (h *Hub) receipt(f history.Fault) {
	f.Arm, f.Server = h.opts.Arm, h.opts.Server
	if h.opts.Receipts != nil {
		h.opts.Receipts.Receipt(f)
	}
}

// witness stamps a record and hands it over.
func (h *Hub) witness(w history.Wire) {
	w.Arm, w.Server = h.opts.Arm, h.opts.Server
	if h.opts.Tap != nil {
		h.opts.Tap.Exchange(w)
	}
}

func (h *Hub) now() history.Instant {
	if h.opts.Base == nil {
		return 0
	}
	return history.Instant(h.opts.Base.Nanos())
}
