package raymond

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// Greedy is the algorithm of NewGreedy on a balanced binary tree, with a bound of 2.
var Greedy = messaging.Protocol{
	Name:  "raymond-greedy",
	New:   func(n int) (messaging.Algorithm, error) { return NewGreedy(topology.Tree(n, 2), 2), nil },
	Kinds: Protocol.Kinds,

	Invariant: invariant.OneToken[*ordered, token]((*ordered).hasToken),
}

// Lift is the algorithm of NewLift on a balanced binary tree, with a bound of 2.
var Lift = messaging.Protocol{
	Name:  "raymond-lift",
	New:   func(n int) (messaging.Algorithm, error) { return NewLift(topology.Tree(n, 2), 2), nil },
	Kinds: Protocol.Kinds,

	Invariant: Greedy.Invariant,
}

// NewGreedy returns the algorithm in which a node to which the token comes enters first if
// it wants to, and then serves the others. (F. Mattern, "Verteilte Algorithmen" 1999/2000;
// B. Prabhakaran, "Mutual Exclusion Algorithms", slide 31.)
//
// Each of a queue is passed over at most bound times, before it is served; with a bound of 0
// this is the algorithm of New. On a star of k leaves at high load, the node in the middle
// has b+1 entries for k of the leaves, if the bound b is less than k, and else k. Without an
// effective bound, such as math.MaxInt, it is starvation-free, too, since a node enters once
// each time the token comes, and then serves another: one with k before it in the queue is
// passed over at most k+1 times. But k is only bounded by the number of neighbors.
//
// The state has in addition
//
//	Passed   by place in Queue, how often the one there was passed over
//	Behind   the neighbor from which the token came last; the node itself: none
//
// NewGreedy panics if bound is negative, and as New does.
func NewGreedy(tree topology.Graph, bound int) messaging.Algorithm {
	return inOrder("NewGreedy", tree, bound, (*ordered).greedy)
}

// NewLift returns the algorithm in which the token moves as a lift does: it stops at each
// node on its way that wants to enter, and turns back only if no request is ahead. A node
// serves itself first, then the others in the order of their requests, and last the neighbor
// from which the token came. (F. Mattern, "Verteilte Algorithmen" 1999/2000, who only names
// the lift.) The bound and the state are those of NewGreedy, and so are the panics.
func NewLift(tree topology.Graph, bound int) messaging.Algorithm {
	return inOrder("NewLift", tree, bound, (*ordered).lift)
}

func inOrder(name string, tree topology.Graph, bound int, prefer func(*ordered) int) messaging.Algorithm {
	if bound < 0 {
		panic(fmt.Sprintf("raymond: %s with the bound %d: it must be at least 0", name, bound))
	}
	return on(tree, func(n node) messaging.Node {
		return &ordered{node: n, bound: bound, prefer: prefer, Behind: n.self}
	})
}

// An ordered node serves its queue in an order of its own.
type ordered struct {
	node
	bound  int
	prefer func(n *ordered) int // the place in the queue of the one to serve

	Passed []int
	Behind messaging.ID
}

func (n *ordered) Request(out messaging.Out) {
	n.Queue = append(n.Queue, n.self)
	n.assignOrAsk(out)
}

func (n *ordered) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.note(from, m)
	if _, token := m.(token); token {
		n.Behind = from
	}
	n.assignOrAsk(out)
}

func (n *ordered) Release(out messaging.Out) {
	n.Using = false
	n.assignOrAsk(out)
}

func (n *ordered) Withdraw(messaging.Out) { n.drop(slices.Index(n.Queue, n.self)) }

func (n *ordered) assignOrAsk(out messaging.Out) {
	if len(n.Passed) < len(n.Queue) {
		n.Passed = append(n.Passed, 0)
	}
	if n.free() {
		k := n.next()
		for j := range k {
			n.Passed[j]++
		}
		n.Passed = slices.Delete(n.Passed, k, k+1)
		n.assign(k, out)
	}
	n.ask(out)
}

func (n *ordered) drop(k int) {
	n.Passed = slices.Delete(n.Passed, k, k+1)
	n.remove(k)
}

// next returns the place of the one to serve. The first was passed over at least as often as
// any other, since it was there whenever another was passed over.
func (n *ordered) next() int {
	if n.Passed[0] >= n.bound {
		return 0
	}
	return n.prefer(n)
}

// greedy prefers the node itself.
func (n *ordered) greedy() int { return max(0, slices.Index(n.Queue, n.self)) }

// lift prefers the node itself, then all but the neighbor from which the token came.
func (n *ordered) lift() int {
	if k := slices.Index(n.Queue, n.self); k >= 0 {
		return k
	}
	return max(0, slices.IndexFunc(n.Queue, func(i messaging.ID) bool { return i != n.Behind }))
}
