// Package firewire implements the election of IEEE 1394, FireWire, on a tree: leaves ask their
// neighbor to be their parent, inner nodes the last neighbor that has not asked them, and the
// node that all neighbors have asked is the root.
//
// # Source
//
// IEEE Std 1394-1995, "IEEE standard for a high performance serial bus", tree identify; slides of
// HAW Hamburg, "Wahl auf Bäumen: FireWire". The node that leads is the bus master there.
//
// # Messages
//
//	BeMyParent     the sender asks the receiver to be its parent
//	YouAreMyChild  the receiver is a child of the sender
//
// Both go to a neighbor in the tree. A node knows only its neighbors.
//
// # State
//
//	Reset     the node has noticed the bus reset
//	Children  the neighbors that have asked this node to be their parent
//	Asked     the neighbor that this node has asked; -1: none
//	Contends  this node has withdrawn that for a while
//	Parent    the neighbor whose child this node is; itself, if it is the root; -1: not known
//
// # Algorithm
//
// HOLD_ELECTION. The bus reset is an input, [election.Hold], that every node gets, each at any
// time; without those of all there is no root. A reset that all nodes noticed before any message
// would hide a part: each would ask once, n times on n-1 links, so requests would cross in every
// election. A node that notices the reset last is the root; the standard has such a node
// (force_root).
//
// CONTINUE_ELECTION. A node that has noticed the reset, and that all neighbors but one have asked,
// acknowledges these with YouAreMyChild and asks the last. A leaf has nothing to wait for.
//
// FINISH_ELECTION. A node that all have asked, and that has asked none, acknowledges them and is
// the root; so is one without neighbors.
//
// Contention. If two nodes have asked each other, which happens on one link at most, both
// withdraw. Each waits for a short or a long time, at random, and asks again, unless it has been
// asked meanwhile: then it acknowledges that and is the root. If requests cross again, there
// is another round. With numbers ([NewByID]) no time is needed: the larger one acknowledges and
// is the root.
//
// # Properties
//
// In the end there is one root, each other node has a parent, and the parents lead to the root
// ([OneTree]). A node knows only its parent, and so it emits [Child] or [Root], not who leads
// ([election.Elected]). No crash is tolerated, no message may be lost, and there is only one
// election. Links need not be FIFO.
//
// Contention ends with probability 1 if the long time is longer than the short one by more
// than two messages take. If messages can take longer than any timer, it may go on forever, whatever
// the nodes choose.
//
// An election of n nodes takes 2(n-1) messages without contention; 2r more with r rounds of it;
// with numbers, one more.
package firewire

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/topology"
)

// The messages, as above.
type (
	beMyParent    struct{}
	youAreMyChild struct{}
	again         struct{} // the timer of contention
)

// Child is emitted by a node that has a parent.
type Child struct{ Parent messaging.ID }

// Root is emitted by the node that leads.
type Root struct{}

// Protocol is the algorithm of New on a binary tree, with times for a cluster.Cluster, for
// hosts that are told which one to run. The last kind is the timer.
var Protocol = messaging.Protocol{
	Name: "firewire",
	New: func(n int) (messaging.Algorithm, error) {
		return New(topology.Tree(n, 2), 10*time.Millisecond, 40*time.Millisecond), nil
	},
	Kinds:     []messaging.Message{election.Hold{}, beMyParent{}, youAreMyChild{}, again{}},
	Invariant: oneContention,
	Results:   OneTree,
}

// ByID is the algorithm of NewByID on a binary tree.
var ByID = messaging.Protocol{
	Name:      "firewire-id",
	New:       func(n int) (messaging.Algorithm, error) { return NewByID(topology.Tree(n, 2)), nil },
	Kinds:     []messaging.Message{election.Hold{}, beMyParent{}, youAreMyChild{}},
	Invariant: oneContention,
	Results:   OneTree,
}

// New returns the algorithm on a tree, with the two times of which nodes in contention choose
// one; the standard has 0.24 to 0.26 µs and 0.57 to 0.6 µs. New panics if tree is no tree,
// and unless 0 <= short < long.
func New(tree topology.Graph, short, long time.Duration) messaging.Algorithm {
	if short < 0 || long <= short {
		panic(fmt.Sprintf("firewire: New(tree, %v, %v): want 0 <= short < long", short, long))
	}
	return on(tree, node{short: short, long: long})
}

// NewByID returns the algorithm on a tree in which the node with the larger number is the root if two
// are in contention. It panics if tree is no tree.
func NewByID(tree topology.Graph) messaging.Algorithm { return on(tree, node{byID: true}) }

func on(tree topology.Graph, initial node) messaging.Algorithm {
	if err := paths.CheckTree(tree); err != nil {
		panic(fmt.Sprintf("firewire: %v", err))
	}
	return messaging.On(tree, func(start messaging.Start) messaging.Node {
		n := initial
		n.start, n.Asked, n.Parent = start, none, none
		return &n
	})
}

// none is no node.
const none messaging.ID = -1

type node struct {
	start       messaging.Start
	byID        bool
	short, long time.Duration

	Reset    bool
	Children messaging.Set
	Asked    messaging.ID
	Contends bool
	Parent   messaging.ID
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("firewire", n.start.Self, from, m, why)
	}
	switch m.(type) {
	case election.Hold:
		if !n.Reset {
			n.Reset = true
			n.identify(out)
		}
	case beMyParent:
		switch {
		case from != n.Asked:
			n.Children.Add(from)
			if n.Reset {
				n.identify(out)
			}
		case n.Contends: // from has asked again before this node has
			n.beRoot(out)
		default:
			n.contend(out)
		}
	case youAreMyChild:
		n.Parent = from
		out.Emit(Child{from})
	case again:
		if n.Contends {
			n.Contends = false
			out.Send(n.Asked, beMyParent{})
		}
	}
}

// identify is CONTINUE_ELECTION and FINISH_ELECTION. The node has asked none.
func (n *node) identify(out messaging.Out) {
	missing := len(n.start.Neighbors) - n.Children.Len()
	if missing > 1 {
		return
	}
	for j := range n.Children.All() {
		out.Send(j, youAreMyChild{})
	}
	if missing == 0 {
		n.Parent = n.start.Self
		out.Emit(Root{})
		return
	}
	last := slices.IndexFunc(n.start.Neighbors, func(j messaging.ID) bool { return !n.Children.Has(j) })
	n.Asked = n.start.Neighbors[last]
	out.Send(n.Asked, beMyParent{})
}

// contend handles the request of the neighbor that this node has asked itself.
func (n *node) contend(out messaging.Out) {
	switch {
	case !n.byID:
		n.Contends = true
		out.After([]time.Duration{n.short, n.long}[out.Choose(2)], again{})
	case n.start.Self > n.Asked:
		n.beRoot(out)
	}
}

// beRoot acknowledges the neighbor that this node has asked, and whose requests have crossed its own.
func (n *node) beRoot(out messaging.Out) {
	n.Contends = false
	n.Children.Add(n.Asked)
	n.Parent = n.start.Self
	out.Send(n.Asked, youAreMyChild{})
	out.Emit(Root{})
}
