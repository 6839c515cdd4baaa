// Package wrap has what nodes need that wrap others.
package wrap

import "example.org/doorway/messaging"

// A Whole is a node that has every method, and those of the node in it; see
// [messaging.Node]. Nodes that wrap others embed it.
type Whole struct{ messaging.Node }

func (w Whole) Unwrap() messaging.Node { return w.Node }

func (w Whole) Start(out messaging.Out)   { w.Node.(messaging.Starter).Start(out) }
func (w Whole) Request(out messaging.Out) { w.Node.(messaging.Exclusion).Request(out) }
func (w Whole) Release(out messaging.Out) { w.Node.(messaging.Exclusion).Release(out) }
func (w Whole) Down(peer messaging.ID, out messaging.Out) {
	w.Node.(messaging.Survivor).Down(peer, out)
}
func (w Whole) Withdraw(out messaging.Out) { w.Node.(messaging.Withdrawer).Withdraw(out) }

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
