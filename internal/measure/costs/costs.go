// Package costs measures the cost of the message-passing algorithms in the simulator, with the code that users
// import, and compares it with the claims of the catalog.
package costs

import (
	"fmt"
	"math/rand/v2"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Nodes is the number of nodes of the published figures: a projective plane with
// quorums of 4 nodes, as in the lectures' example.
const Nodes = 13

// A Row has the costs of an algorithm.
type Row struct {
	Protocol catalog.Protocol
	Nodes    int

	Alone    Figure // messages of an entry at low load
	Loaded   Figure // messages of an entry at high load
	Delay    Figure // synchronization delay: T from an exit to the next entry, the mean of all pairs
	Response Figure // response time: T from a request to the entry at low load
}

// A Figure is a measured value and the claimed one.
type Figure struct {
	Claim    string  `json:"claim"`
	Least    float64 `json:"least"` // 0 if it is missing, as the next two
	Most     float64 `json:"most"`
	Measured float64 `json:"measured"`
	Missing  string  `json:"missing,omitempty"` // why it was not measured, as [Stop.Why] has it; "": it was
}

// Holds reports whether the measured value is within the claim.
func (f Figure) Holds() bool {
	const rounding = 1e-9
	return f.Measured >= f.Least-rounding && f.Measured <= f.Most+rounding
}

// All is the largest number of nodes of which [Measure] has each enter after each other.
const All = 64

// Measure measures p with n nodes, at least 2, since a single node waits for no
// other. Messages and critical sections take T each. With more than All nodes, requests are by
// random nodes, and figures are missing that would take more than [Grown] allows.
func Measure(p catalog.Protocol, n int) (Row, error) {
	if n > All {
		return sampled(p, n)
	}
	c := sim.Config{Algorithm: p.New(n), Nodes: n, Perpetual: p.Perpetual}
	low, err := run(p, c, sim.LowLoad{}, 3*n)
	if err != nil {
		return Row{}, err
	}
	high, err := run(p, c, sim.HighLoad{}, 100*n)
	if err != nil {
		return Row{}, err
	}
	pairs, err := run(p, c, EachAfterEach(n), 0)
	if err != nil {
		return Row{}, err
	}
	return Row{
		Protocol: p, Nodes: n,
		Alone:    figure(p.Costs.Alone, n, low.PerEntry),
		Loaded:   figure(p.Costs.Loaded, n, high.PerEntry),
		Delay:    figure(p.Costs.Delay, n, pairs.SyncDelay.Mean),
		Response: figure(p.Costs.Response, n, low.Waiting.Mean),
	}, nil
}

// sampled measures p with many nodes. Curves up to n foresee what that takes.
func sampled(p catalog.Protocol, n int) (Row, error) {
	low, _ := Grown.Curve(p, Low, Sizes(n))
	high, _ := Grown.Curve(p, High, Sizes(n))
	r := Row{
		Protocol: p, Nodes: n,
		Alone: last(p.Costs.Alone, n, low, low.Messages), Loaded: last(p.Costs.Loaded, n, high, high.Messages),
		Delay: last(p.Costs.Delay, n, low, nil), Response: last(p.Costs.Response, n, low, low.Delay),
	}
	if low.Stop != nil {
		return r, nil
	}
	few := max(10, min(200, int(float64(Grown.Enough)/max(1, r.Alone.Measured))))
	pairs, err := run(p, sim.Config{Algorithm: patient(p, n), Nodes: n, Perpetual: p.Perpetual}, someAfterSome(n, few), 0)
	r.Delay.Measured = pairs.SyncDelay.Mean
	return r, err
}

// last is the figure of the last point of a curve to n. If that is missing, so are the bounds:
// they may take as much.
func last(claim catalog.Range, n int, c Curve, values []float64) Figure {
	if c.Stop != nil {
		return Figure{Claim: claim.Text, Missing: c.Stop.Why}
	}
	f := figure(claim, n, 0)
	if len(values) > 0 {
		f.Measured = values[len(values)-1]
	}
	return f
}

func run(p catalog.Protocol, c sim.Config, load sim.Load, entries int) (sim.Report, error) {
	c.Load, c.Entries = load, entries
	r, err := sim.Run(c)
	if err != nil {
		return r, fmt.Errorf("%s with %d nodes: %w", p.Name, c.Nodes, err)
	}
	return r, nil
}

// EachAfterEach is a load in which every node enters after every other, for whose exit it waits,
// long after the messages between the two have arrived. Under high load the order
// is the same in each round, and chance decides which pairs occur.
func EachAfterEach(n int) sim.Script {
	var s sim.Script
	for first := range messaging.ID(n) {
		for second := range messaging.ID(n) {
			if first != second {
				s = after(s, 100*sim.T, first, second)
			}
		}
	}
	return s
}

// someAfterSome makes that many random nodes enter after others, as [EachAfterEach] does. No
// message takes longer than a tour of all nodes.
func someAfterSome(n, pairs int) (s sim.Script) {
	dice := rand.New(rand.NewPCG(uint64(n), 0))
	for range pairs {
		first := dice.IntN(n)
		second := (first + 1 + dice.IntN(n-1)) % n
		s = after(s, time.Duration(n+100)*4*sim.T, messaging.ID(first), messaging.ID(second))
	}
	return s
}

// after appends a pair of requests: one node stays inside for long, and meanwhile the other
// asks.
func after(s sim.Script, long time.Duration, first, second messaging.ID) sim.Script {
	at := time.Duration(len(s)) * long
	return append(s, sim.Request{Node: first, At: at, Stay: long}, sim.Request{Node: second, At: at + long/2})
}

func figure(r catalog.Range, n int, measured float64) Figure {
	least, most := r.Of(n)
	return Figure{Claim: r.Text, Least: least, Most: most, Measured: measured}
}
