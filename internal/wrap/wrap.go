// Package wrap has what nodes need that wrap others.
package wrap

import "example.org/doorway/messaging"

// A Whole is a node that has every method, and those of the node in it; see
// [messaging.Node]. Nodes that wrap others embed it.
type Whole struct{ messaging.Node }

func (w Whole) Unwrap() messaging.Node { return w.Node }

// Start implements [messaging.Starter].
func (w Whole) Start(out messaging.Out) { w.Node.(messaging.Starter).Start(out) }

// Request implements [messaging.Exclusion].
func (w Whole) Request(out messaging.Out) { w.Node.(messaging.Exclusion).Request(out) }

// Release implements [messaging.Exclusion].
func (w Whole) Release(out messaging.Out) { w.Node.(messaging.Exclusion).Release(out) }

// Down implements [messaging.Survivor].
func (w Whole) Down(peer messaging.ID, out messaging.Out) {
	w.Node.(messaging.Survivor).Down(peer, out)
}

// Withdraw implements [messaging.Withdrawer].
func (w Whole) Withdraw(out messaging.Out) { w.Node.(messaging.Withdrawer).Withdraw(out) }

// Excludes implements [messaging.Sharer].
func (w Whole) Excludes(other messaging.ID) bool { return w.Node.(messaging.Sharer).Excludes(other) }

// Innermost returns the node that n wraps, or n.
func Innermost(n messaging.Node) messaging.Node {
	for {
		w, wraps := n.(interface{ Unwrap() messaging.Node })
		if !wraps {
			return n
		}
		n = w.Unwrap()
	}
}
