// Package costs measures the cost of the message-passing algorithms in the
// simulator, with the code that users import, and compares it with the claims of
// the catalog.
package costs

import (
	"fmt"
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
	Claim       string
	Least, Most float64
	Measured    float64
}

// Holds reports whether the measured value is within the claim.
func (f Figure) Holds() bool {
	const rounding = 1e-9
	return f.Measured >= f.Least-rounding && f.Measured <= f.Most+rounding
}

// Measure measures p with n nodes, at least 2, since a single node waits for no
// other. Messages and critical sections take T each.
func Measure(p catalog.Protocol, n int) (Row, error) {
	c := sim.Config{Algorithm: p.New(n), Nodes: n, Perpetual: p.Perpetual}
	low, err := run(p, c, sim.LowLoad{}, 3*n)
	if err != nil {
		return Row{}, err
	}
	high, err := run(p, c, sim.HighLoad{}, 100*n)
	if err != nil {
		return Row{}, err
	}
	pairs, err := run(p, c, eachAfterEach(n), 0)
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

func run(p catalog.Protocol, c sim.Config, load sim.Load, entries int) (sim.Report, error) {
	c.Load, c.Entries = load, entries
	r, err := sim.Run(c)
	if err != nil {
		return r, fmt.Errorf("%s with %d nodes: %w", p.Name, c.Nodes, err)
	}
	return r, nil
}

// eachAfterEach makes every node enter after every other, for whose exit it waits,
// long after the messages between the two have arrived. Under high load the order
// is the same in each round, and chance decides which pairs occur.
func eachAfterEach(n int) sim.Script {
	const long = 100 * sim.T
	var s sim.Script
	at := time.Duration(0)
	for first := range messaging.ID(n) {
		for second := range messaging.ID(n) {
			if first == second {
				continue
			}
			s = append(s,
				sim.Request{Node: first, At: at, Stay: long},
				sim.Request{Node: second, At: at + long/2},
			)
			at += 2 * long
		}
	}
	return s
}

// Blocked returns the fraction of the other nodes that the crash of an idle node
// blocks, the mean over all n nodes: each node crashes before it has requested
// anything, and each other node requests in a run of its own.
func Blocked(p catalog.Protocol, n int) (float64, error) {
	a := p.New(n)
	if p.Timed != nil {
		a = p.Timed(sim.T)
	}
	waits := 0
	for dead := range messaging.ID(n) {
		for i := range messaging.ID(n) {
			if i == dead {
				continue
			}
			_, err := sim.Run(sim.Config{
				Algorithm: a, Nodes: n, Perpetual: p.Perpetual, Crashes: []sim.Crash{{Node: dead}}, Load: sim.Script{{Node: i, At: sim.T}},
			})
			switch {
			case sim.Failure(err) == "deadlock":
				waits++
			case err != nil:
				return 0, fmt.Errorf("%s with %d nodes, of which %d has crashed: %w", p.Name, n, dead, err)
			}
		}
	}
	return float64(waits) / float64(n*(n-1)), nil
}

func figure(r catalog.Range, n int, measured float64) Figure {
	least, most := r.Of(n)
	return Figure{r.Text, least, most, measured}
}

// Table measures all algorithms with n nodes.
func Table(n int) ([]Row, error) {
	var rows []Row
	for _, p := range catalog.Protocols {
		row, err := Measure(p, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
