// Package layer has what layers share: nodes around nodes.
package layer

import (
	"fmt"
	"iter"
	"slices"

	"example.org/doorway/internal/node/loopback"
	"example.org/doorway/messaging"
)

// New returns the algorithm of p for n nodes. Errors begin with pkg, the name of a package.
func New(pkg string, p messaging.Protocol, n int) (messaging.Algorithm, error) {
	if err := HasNew(pkg, p); err != nil {
		return nil, err
	}
	a, err := p.New(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pkg, err)
	}
	return a, nil
}

// Over returns New of the protocol whose nodes are around those of p, as over puts them for n nodes.
func Over(pkg string, p messaging.Protocol, over func(a messaging.Algorithm, n int) messaging.Algorithm) func(n int) (messaging.Algorithm, error) {
	return func(n int) (messaging.Algorithm, error) {
		a, err := New(pkg, p, n)
		if err != nil {
			return nil, err
		}
		return over(a, n), nil
	}
}

// HasNew returns an error unless p makes algorithms.
func HasNew(pkg string, p messaging.Protocol) error {
	if p.New == nil {
		return fmt.Errorf("%s: the protocol %q makes no algorithm: its New is nil", pkg, p.Name)
	}
	return nil
}

// A Whole is a node that has every method, and can do what the node in it can; see
// [messaging.Node]. Nodes that wrap others, and have no state, embed it.
type Whole struct{ Methods }

// Around returns the Whole with n in it.
func Around(n messaging.Node) Whole { return Whole{Methods{n}} }

func (w Whole) Unwrap() messaging.Node { return w.Node }

// Methods is a node that has every method. Nodes that hold another, which is part of their
// state, embed it.
type Methods struct{ messaging.Node }

// Can implements what [messaging.Node] says of it.
func (m Methods) Can(kind any) bool { return Can(m.Node, kind) }

// Can reports whether n is of that kind, if it is one of those that this library has, such as
// (*messaging.Starter)(nil).
func Can(n messaging.Node, kind any) (can bool) {
	switch kind.(type) {
	case *messaging.Starter:
		_, can = messaging.As[messaging.Starter](n)
	case *messaging.Exclusion:
		_, can = messaging.As[messaging.Exclusion](n)
	case *messaging.Sharer:
		_, can = messaging.As[messaging.Sharer](n)
	case *messaging.Withdrawer:
		_, can = messaging.As[messaging.Withdrawer](n)
	case *messaging.Epocher:
		_, can = messaging.As[messaging.Epocher](n)
	case *messaging.Survivor:
		_, can = messaging.As[messaging.Survivor](n)
	default:
		return true
	}
	return can
}

// Nested returns the node that is part of the state.
func (m Methods) Nested() messaging.Node { return m.Node }

// Invariant returns the invariant of nodes that hold others: that those satisfy rule, which may be nil. A message
// of type M is not sent by the nodes that are held.
func Invariant[M messaging.Message](rule messaging.Invariant) messaging.Invariant {
	if rule == nil {
		return nil
	}
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		nested := make([]messaging.Node, len(nodes))
		for i := range nodes {
			if n, up := nodes[i].(interface{ Nested() messaging.Node }); up {
				nested[i] = n.Nested()
			}
		}
		return rule(nested, slices.DeleteFunc(slices.Clone(transit), func(e messaging.Event) bool {
			_, other := e.Message.(M)
			return other
		}))
	}
}

// Has reports whether n is a T, or a node is that it wraps or holds, at any depth.
func Has[T any](n messaging.Node) bool {
	for {
		if _, is := n.(T); is {
			return true
		}
		switch outer := n.(type) {
		case interface{ Unwrap() messaging.Node }:
			n = outer.Unwrap()
		case interface{ Nested() messaging.Node }:
			n = outer.Nested()
		default:
			return false
		}
	}
}

// Start implements [messaging.Starter].
func (m Methods) Start(out messaging.Out) { m.Node.(messaging.Starter).Start(out) }

// Request implements [messaging.Exclusion].
func (m Methods) Request(out messaging.Out) { m.Node.(messaging.Exclusion).Request(out) }

// Release implements [messaging.Exclusion].
func (m Methods) Release(out messaging.Out) { m.Node.(messaging.Exclusion).Release(out) }

// Down implements [messaging.Survivor].
func (m Methods) Down(peer messaging.ID, out messaging.Out) {
	m.Node.(messaging.Survivor).Down(peer, out)
}

// Withdraw implements [messaging.Withdrawer].
func (m Methods) Withdraw(out messaging.Out) { m.Node.(messaging.Withdrawer).Withdraw(out) }

// Epoch implements [messaging.Epocher].
func (m Methods) Epoch() uint64 { return m.Node.(messaging.Epocher).Epoch() }

// Excludes implements [messaging.Sharer].
func (m Methods) Excludes(other messaging.ID) bool { return m.Node.(messaging.Sharer).Excludes(other) }

// mostWrapped is how many nodes may wrap a node.
const mostWrapped = 1000

// Innermost returns the node that n wraps, or n.
func Innermost(n messaging.Node) messaging.Node {
	for k := 0; ; k++ {
		if k == mostWrapped {
			panic(fmt.Sprintf("messaging: a %T wraps %d nodes, one in another: its method Unwrap must return another node than itself", n, k))
		}
		w, wraps := n.(interface{ Unwrap() messaging.Node })
		if !wraps {
			return n
		}
		n = w.Unwrap()
	}
}

// Linked yields the other nodes to which the node of s has a link ([messaging.On]), in ascending order. A node that wraps
// another asks when that is made, which may have a topology of its own.
func Linked(s messaging.Start) iter.Seq[messaging.ID] {
	if s.Links != nil && *s.Links != nil {
		return slices.Values(*s.Links)
	}
	return s.Others()
}

// Loopback has the messages that a node has sent to itself.
type Loopback = loopback.Queue[messaging.Message]
