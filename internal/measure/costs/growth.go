package costs

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/jsonfile"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A Load is one of the two under which algorithms are measured.
type Load string

// The loads.
const (
	Low  Load = "low"  // one node asks at a time, drawn at random
	High Load = "high" // all nodes always ask
)

// A Curve has the costs of an algorithm under a load, by number of nodes.
type Curve struct {
	Algorithm string           `json:"algorithm"`
	Load      Load             `json:"load"`
	Nodes     []int            `json:"nodes"`
	Entries   []int            `json:"entries"`
	Messages  jsonfile.Samples `json:"messages"` // per entry

	// Delay is in T: at low load from a request to the entry, at high load from an exit to
	// the next entry.
	Delay jsonfile.Samples `json:"delay"`
	Stop  *Stop            `json:"stop,omitempty"` // why there are no more points
}

// A Stop is the first number of nodes that is not measured, and why: "deliveries" or
// "memory" if it would take more than allowed, or "serves no more" with the error of the
// algorithm.
type Stop struct {
	Nodes int    `json:"nodes"`
	Why   string `json:"why"`
}

const (
	tooMany  = "deliveries"
	tooLarge = "memory"
)

// An Extent is how far, and how thoroughly, a curve is measured.
type Extent struct {
	Deliveries int     // the most of a point
	Memory     float64 // the most bytes of a point, foreseen from those before
	Enough     int     // messages, or 64 for each node, beyond which a point has no more entries than it must
	Rounds     int     // under high load a point has at most that many entries for each node, and at least one
	Least      int     // at low load it has at least that many entries,
	Most       int     // and at most that many, or Rounds for each node
}

// Grown is the extent of the published curves.
var Grown = Extent{Deliveries: 100_000_000, Memory: 2 << 30, Enough: 1_000_000, Rounds: 8, Least: 20, Most: 400}

// Sizes returns the numbers of nodes of a curve up to n, which is the last: powers of two
// to 4096, and then 10,000, 30,000, 100,000.
func Sizes(n int) (all []int) {
	for size := 4; size < min(n, 8192); size *= 2 {
		all = append(all, size)
	}
	for _, size := range []int{10_000, 30_000, 100_000} {
		if size < n {
			all = append(all, size)
		}
	}
	return append(all, n)
}

// Curve measures p under a load at those numbers of nodes, in ascending order, until one
// takes more than e allows. It also returns how many messages were delivered. The figures of
// the same arguments are the same each time; where a curve ends for memory may differ
// between machines.
func (e Extent) Curve(p catalog.Protocol, l Load, sizes []int) (c Curve, delivered int) {
	m := measurement{Extent: e, protocol: p, Curve: Curve{Algorithm: p.Name, Load: l}}
	for _, n := range sizes {
		if why := m.point(n); why != "" {
			m.Stop = &Stop{n, why}
			break
		}
	}
	return m.Curve, m.delivered
}

// A measurement is that of a curve. It foresees what the next point takes from how the
// last two points grew.
type measurement struct {
	Curve
	Extent
	protocol  catalog.Protocol
	bytes     []float64 // live at most, by point
	delivered int
}

// point measures with n nodes, or returns why it does not.
func (m *measurement) point(n int) (why string) {
	entries := m.entries(n)
	messages := m.next(m.Messages, n) * float64(entries)
	switch {
	case messages > float64(m.Deliveries):
		return tooMany
	case m.next(m.bytes, n) > m.Memory:
		return tooLarge
	}
	s := observer{most: 2 * uint64(m.Deliveries), step: max(uint64(messages/2), fewEvents), warm: entries / 2}
	r, err := m.simulate(n, entries, &s)
	m.delivered += r.Delivered
	switch {
	case errors.Is(err, errTooMany):
		return tooMany
	case err != nil:
		return "serves no more: " + err.Error()
	}
	m.Nodes, m.Entries = append(m.Nodes, n), append(m.Entries, r.Entries)
	m.bytes = append(m.bytes, s.live)
	if m.Load == High {
		m.Messages, m.Delay = append(m.Messages, r.PerEntry), append(m.Delay, r.SyncDelay.Mean)
		return ""
	}
	counted := float64(s.entries - s.warm)
	m.Messages = append(m.Messages, float64(s.sent)/counted)
	m.Delay = append(m.Delay, float64(s.waited)/float64(sim.T)/counted)
	return ""
}

// entries returns the number of entries of a point: some for each node, but fewer if
// that would take more messages than enough; under high load at least one for each.
func (m *measurement) entries(n int) int {
	affordable := math.MaxInt
	if each := m.next(m.Messages, n); each > 0 {
		affordable = int(float64(max(m.Enough, 64*n)) / each)
	}
	if m.Load == High {
		return max(1, min(m.Rounds, affordable/n)) * n
	}
	return max(m.Least, min(affordable, max(m.Most, m.Rounds*n)))
}

// next extrapolates values to n nodes: it grows from the last point on as it has grown to
// that, with a power of n, at least the 0th. It is 0 if too few values are known.
func (m *measurement) next(values []float64, n int) float64 {
	k := len(values) - 1
	if k < 1 || values[k-1] <= 0 || values[k] <= 0 {
		return 0
	}
	power := math.Log(values[k]/values[k-1]) / math.Log(float64(m.Nodes[k])/float64(m.Nodes[k-1]))
	return values[k] * math.Pow(float64(n)/float64(m.Nodes[k]), max(0, power))
}

// simulate runs the algorithm with n nodes.
func (m *measurement) simulate(n, entries int, s *observer) (r sim.Report, err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case errTooMany:
			err = errTooMany
		default: // a constructor refuses n
			err = fmt.Errorf("%v", p)
		}
	}()
	s.before, s.next = liveBytes(), s.step
	c := sim.Config{
		Algorithm: patient(m.protocol, n), Nodes: n, Perpetual: m.protocol.Perpetual, Entries: entries, Seed: uint64(n), Observe: s.observe,
		Load: sim.LowLoad{Random: true},
	}
	if m.Load == High {
		c.Load = sim.HighLoad{}
	}
	r, err = sim.Run(c)
	runtime.KeepAlive(c.Algorithm)
	return r, err
}

var errTooMany = errors.New("the run takes more deliveries than a point may")

// fewEvents is a number of events in which a run does not need much memory.
const fewEvents = 100_000

// An observer weighs a run, stops it if it has too many events, and measures what it costs
// when it is warm.
type observer struct {
	step   uint64 // it weighs after each that many events
	most   uint64 // events
	before uint64 // bytes that were live before the run
	live   float64
	next   uint64

	// If one node asks at a time:
	warm    int // entries before the first that counts
	entries int
	counts  bool // messages count now
	sent    int
	waited  time.Duration // from requests to entries
	asked   time.Duration
}

func (o *observer) observe(e messaging.Event) {
	switch e.Action {
	case action.Sent:
		if o.counts {
			o.sent++
		}
	case action.Requested:
		o.asked, o.counts = e.At, o.entries >= o.warm
	case action.Entered:
		if o.entries++; o.entries > o.warm {
			o.waited += e.At - o.asked
		}
	}
	if e.Number < o.next {
		return
	}
	if e.Number > o.most {
		panic(errTooMany)
	}
	o.next += o.step
	o.live = max(o.live, float64(liveBytes())-float64(o.before))
}

// liveBytes collects garbage and returns how many bytes are left.
func liveBytes() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// patient returns p for n nodes, with timeouts that are longer than any wait.
func patient(p catalog.Protocol, n int) messaging.Algorithm {
	return p.Within(n, time.Duration(n)*sim.T)
}
