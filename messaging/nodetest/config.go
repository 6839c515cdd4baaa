// Package nodetest tests nodes of message-passing algorithms, those of locks and others.
//
//   - [Run] runs them in a random schedule, with random message delays, and reports
//     the first violation with the events that led to it.
//   - [Check] also checks every handler against the contract of a [messaging.Node].
//
// Package [example.org/doorway/messaging/nodevet] checks the source of nodes, and CheckNodes of
// package [example.org/doorway/explore] visits every schedule of a small number of nodes,
// which is a proof for the instance.
//
// For example:
//
//	for seed := range uint64(1000) {
//		if err := nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 4, Seed: seed}); err != nil {
//			t.Fatal(err)
//		}
//	}
package nodetest

import (
	"fmt"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A Config describes a schedule. Every field except Nodes may be zero.
type Config struct {
	Nodes     int          // at least 1
	Holder    messaging.ID // the node that initially has the privilege, in algorithms with one
	Entries   int          // the number of requests in total; 0: 4 per node
	Users     []int        // the nodes that request, by number; none: all
	Seed      uint64       // determines the schedule
	Unordered bool         // messages of a link may overtake each other
	Withdraw  float64      // the probability that a request is aborted, 0 to 1
	Steps     int          // the maximum number of events; 0: a million
	Name      string       // of the algorithm, in the scenario of a failure; default: that of its package

	// Crashes and Restarts are the numbers of nodes that crash and restart, at random
	// times, as far as the schedule goes on until then.
	Crashes, Restarts int

	// Detected has a perfect detector of crashes tell each live [messaging.Survivor] of each
	// crash, at a random time after it unless the node has started again by then; and one that
	// starts again, which nodes are down. Otherwise no node is told.
	Detected bool

	// AnyTime has running timers expire at any time; otherwise they expire only when
	// nothing else can happen, and in locks while a request is pending: no time passes
	// before, and the clocks of all nodes are equal. One that is due, as another at the same
	// instant has expired, expires at any time. Nothing is ever due behind a timer of no
	// delay that is always set again.
	AnyTime bool

	// Perpetual marks an algorithm that never comes to rest, such as one of heartbeats. The
	// schedule then ends when all requests are over, or, if there are none, after Steps; what it
	// has come to is never [messaging.Outcome.Over].
	Perpetual bool

	// Inputs are what the user of each node gives it, by node, in this order, at random
	// times; see cluster.Cluster.Input. Nil: nothing.
	Inputs [][]messaging.Message

	// Results, if not nil, is held when a node has emitted something, and when nothing more
	// can happen; see [messaging.Results].
	Results messaging.Results

	// Invariant, if not nil, is held in each state; see [messaging.Invariant].
	Invariant messaging.Invariant
}

// check returns an error if the config is invalid.
func (c Config) check() error {
	switch {
	case c.Nodes < 1:
		return fmt.Errorf("Config.Nodes is %d: it must be at least 1", c.Nodes)
	case c.Holder < 0 || int(c.Holder) >= c.Nodes:
		return fmt.Errorf("Config.Holder is %d: the nodes are 0 to %d", c.Holder, c.Nodes-1)
	case c.Entries < 0:
		return fmt.Errorf("Config.Entries is %d: it must be at least 0", c.Entries)
	case !(c.Withdraw >= 0 && c.Withdraw <= 1): // rejects NaN too
		return fmt.Errorf("Config.Withdraw is %v: a probability is 0 to 1", c.Withdraw)
	case c.Steps < 0:
		return fmt.Errorf("Config.Steps is %d: it must be at least 0", c.Steps)
	case c.Crashes < 0:
		return fmt.Errorf("Config.Crashes is %d: it must be at least 0", c.Crashes)
	case c.Inputs != nil && len(c.Inputs) != c.Nodes:
		return fmt.Errorf("Config.Inputs has length %d: Config.Nodes is %d", len(c.Inputs), c.Nodes)
	case c.Restarts < 0 || c.Restarts > c.Crashes:
		return fmt.Errorf("Config.Restarts is %d: it must be 0 to %d, as Crashes is", c.Restarts, c.Crashes)
	}
	for i, inputs := range c.Inputs {
		for k, m := range inputs {
			if err := state.CheckMessage(m); err != nil {
				return fmt.Errorf("Config.Inputs[%d][%d] is %T: %w", i, k, m, err)
			}
		}
	}
	for k, i := range c.Users {
		if i < 0 || i >= c.Nodes {
			return fmt.Errorf("Config.Users[%d] is %d: the nodes are 0 to %d", k, i, c.Nodes-1)
		}
	}
	return nil
}
