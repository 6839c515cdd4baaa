package catalog

import (
	"slices"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/snapshot"
)

// A Trial is what users do in the runs that are measured and checked.
type Trial struct {
	Text  string            // what users do, each: "hold an election"
	Input messaging.Message // of each

	Nodes int // a check of so many takes a second or two; 0: the states grow forever
	Round int // it is measured for so many T; 0: until nothing more happens

	Losses int // of messages that a check has, at most; a measurement has none
}

// Inputs returns what the users of n nodes do.
func (t Trial) Inputs(n int) [][]messaging.Message {
	return slices.Repeat([][]messaging.Message{{t.Input}}, n)
}

var (
	allHold   = Trial{Text: "hold an election", Input: election.Hold{}, Nodes: 3}
	allSend   = Trial{Text: "multicast a message", Input: multicast.Send{Body: "a"}, Nodes: 3}
	lossySend = Trial{Text: allSend.Text, Input: allSend.Input, Nodes: 2, Losses: 1}
	twoSend   = Trial{Text: allSend.Text, Input: allSend.Input, Nodes: 2}
	allTake   = Trial{Text: "take a snapshot", Input: snapshot.Take{}, Nodes: 2}
	beats     = Trial{Text: "hold an election", Input: election.Hold{}, Nodes: 2, Round: 12}
	setClocks = Trial{Text: "set the clock", Input: clock.Set{Time: time.Hour}, Round: 9}
)

const (
	// oneLeader is what [election.Results] is, in words.
	oneLeader = "one leader a term; in the end all know the same, live one"

	// oneRoot is what [firewire.OneTree] is.
	oneRoot = "one root; the parents of all others lead to it"
)

// pairs is one for each other node, of each.
func pairs(n int) float64 { return float64(n * (n - 1)) }

// squared is k for each pair of nodes, of a node with itself too.
func squared(k float64) func(n int) float64 {
	return func(n int) float64 { return k * float64(n*n) }
}

// waves is one on each direction of each link for each node, and more.
func waves(more int) func(n int) float64 {
	return func(n int) float64 { return float64(2 * min(n-1+n/2, n*(n-1)/2) * (n + more)) }
}
