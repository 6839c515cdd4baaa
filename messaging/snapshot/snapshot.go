// Package snapshot records global states of the nodes of any algorithm while they run: the state
// of each node, and the messages in transit.
//
// # Source
//
// K. M. Chandy, L. Lamport, "Distributed snapshots: determining global states of distributed
// systems", ACM Transactions on Computer Systems 3(1), 1985, 63-75. A global state is a consistent
// cut, in the terms of F. Mattern, "Virtual time and global states of distributed systems", 1989.
//
// # Messages
//
//	Take{}        an input: the node begins a snapshot
//	Marker{Of}    what the sender sends from here on is not part of the snapshot
//
// and the messages of the algorithm, as they are.
//
// # State
//
// Of a node, which holds that of the algorithm as Node:
//
//	Latest     by node, the number of the last snapshot of it that has reached this one; durable
//	Running    the snapshots in which this node still records:
//	  Of         which
//	  State      of the node of the algorithm, as recorded
//	  Open       the nodes of which no Marker has arrived yet: the channels that are recorded
//	  Channels   the messages from them
//
// # Rules
//
// A node that begins a snapshot, or gets its first Marker of one, records its state, sends a Marker
// on each channel, before any other message, and begins to record what arrives on each channel to
// it. A Marker ends the record of its channel, so nothing is recorded of the channel on which the
// first one arrives. When a Marker has arrived on each, the node emits what it has recorded, a
// [Part].
//
// Snapshots are distinguished by the node that begins them, and a number. They do not disturb each
// other.
//
// # Properties
//
// The parts of a snapshot make a state in which the run could have been: it is reachable from the
// state in which the snapshot began, and the state in which it ended is reachable from it. So an
// invariant of the algorithm holds in it, and a stable property that holds in it, such as a
// deadlock, still holds when the snapshot is complete. The run need not have been in that state.
//
// This requires FIFO links. Otherwise a message that overtakes a Marker can be in the state of its
// receiver and not in that of its sender, and a message that a Marker overtakes is in neither.
//
// A snapshot takes a Marker on each channel: N(N-1) between N nodes that all have links to each
// other. It is complete if no node crashes. The algorithm continues meanwhile.
package snapshot

import (
	"fmt"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// Take is an input: the node begins a snapshot.
type Take struct{}

// marker divides the messages on a channel into those before and those after a snapshot.
type marker struct{ Of ID }

// An ID identifies a snapshot: the node that began it, and how many that node had begun by then.
type ID struct {
	Initiator messaging.ID
	Number    uint64 // from 1
}

func (id ID) String() string { return fmt.Sprintf("snapshot %d of node %d", id.Number, id.Initiator) }

// Began is emitted by a node that begins a snapshot.
type Began struct{ Of ID }

// A Part is emitted by a node when it has recorded its part of a snapshot; [Assemble] puts the
// parts together.
type Part struct {
	Of       ID
	Node     messaging.ID
	State    State
	Channels []Channel // to this node, on which there was something, by sender
}

// A Channel has the messages in transit from a node to the one that recorded them, in the order
// of their arrival.
type Channel struct {
	From     messaging.ID
	Messages []messaging.Message
}

// Over returns a with snapshots, on the links of g, which is what [messaging.On] does, too. If
// g is nil, there are links between all nodes; or those of a topology around the returned
// algorithm, which must lead in both directions. If a has a topology itself, g must be the same.
//
// The nodes are what those of a are: [messaging.Exclusion], [messaging.Starter],
// [messaging.Survivor] and so on. Their state and messages must be plain data, as
// nodetest.Check demands.
//
// Over panics if a is nil, or if g has two links between the same nodes or no path between some; the
// algorithm panics if its nodes have snapshots already.
func Over(a messaging.Algorithm, g topology.Graph) messaging.Algorithm {
	if a == nil {
		panic("snapshot: snapshots of an algorithm that is nil")
	}
	if g == nil {
		return func(start messaging.Start) messaging.Node {
			return newNode(a, start, start.Neighbors, start.Neighbors)
		}
	}
	if err := paths.Check(g); err != nil {
		panic(fmt.Sprintf("snapshot: a marker must reach each node: %v", err))
	}
	to := make([][]messaging.ID, len(g))
	for i, links := range g {
		for _, j := range links {
			to[j] = append(to[j], messaging.ID(i))
		}
	}
	return messaging.On(g, func(start messaging.Start) messaging.Node {
		return newNode(a, start, start.Neighbors, to[start.Self])
	})
}

// Of returns the protocol of p with snapshots, on the graph of n nodes that graph returns, such
// as [topology.Ring]; nil: with links between all. If p has a topology itself, it must be the
// same.
//
// Its invariant is that of p. Its results are those of p, and those of [Results] with the
// invariant of p; if p is perpetual, not that snapshots are completed.
func Of(p messaging.Protocol, graph func(n int) topology.Graph) messaging.Protocol {
	return messaging.Protocol{
		Name: "snapshot-" + p.Name,
		New: layer.Over("snapshot", p, func(a messaging.Algorithm, n int) messaging.Algorithm {
			if graph == nil {
				return Over(a, nil)
			}
			return Over(a, graph(n))
		}),
		Kinds:     append([]messaging.Message{Take{}, marker{}}, p.Kinds...),
		FIFO:      true,
		Perpetual: p.Perpetual,
		Invariant: layer.Invariant[marker](p.Invariant),
		Results:   results(p),
	}
}
