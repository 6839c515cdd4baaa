package nodetest

import "example.org/doorway/messaging"

// A whole is a node that has every method, and those of the node in it; see
// [messaging.Node]. Nodes that wrap others embed it.
type whole struct{ messaging.Node }

func (w whole) Unwrap() messaging.Node { return w.Node }

func (w whole) Start(out messaging.Out)    { w.Node.(messaging.Starter).Start(out) }
func (w whole) Request(out messaging.Out)  { w.Node.(messaging.Exclusion).Request(out) }
func (w whole) Release(out messaging.Out)  { w.Node.(messaging.Exclusion).Release(out) }
func (w whole) Withdraw(out messaging.Out) { w.Node.(messaging.Withdrawer).Withdraw(out) }

func (w whole) Excludes(other messaging.ID) bool { return w.Node.(messaging.Sharer).Excludes(other) }

// innermost returns the node that n wraps, or n.
func innermost(n messaging.Node) messaging.Node {
	for {
		w, wraps := n.(interface{ Unwrap() messaging.Node })
		if !wraps {
			return n
		}
		n = w.Unwrap()
	}
}
