package lecture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/sim"
)

// slowRequests has those of one node to another take long.
func slowRequests(from, to messaging.ID) []sim.Exception {
	return []sim.Exception{{Kind: "REQUEST", From: []messaging.ID{from}, To: []messaging.ID{to}, Latency: sim.Constant(20 * T)}}
}

// HAW Hamburg, slide 15, defines order: a node that asks, and then sends a message to another that
// asks thereupon, enters first. Slide 23: with the algorithm of Ricart and Agrawala that holds,
// on condition that the message from the one to the other has a stamp as well, or does not
// overtake the request. Here node i asks at time 0, and its user tells that of j outside the
// algorithm: the request of i arrives later, and if j has the smaller number, it enters first.
func TestHAW23OrderNeedsStampsOnAllMessages(t *testing.T) {
	for _, name := range []string{"lamport", "ricartagrawala"} {
		for _, i := range all(5) {
			for _, j := range without(5, i) {
				r := run(t, sim.Config{
					Algorithm: protocol(t, name).New(5), Nodes: 5, Order: true, Except: slowRequests(i, j),
					Load: sim.Script{{Node: i}, {Node: j, At: T + 1}},
				})
				assert.Equal(t, min(i, j), r.Order[0].Node, "%s, the request from %d to %d is overtaken: the first entry", name, i, j)
			}
		}
	}
}

// Without FIFO links, a RELEASE that overtakes its REQUEST releases nothing, and the request stays in
// Lamport's queue forever, ahead of all later ones. Here the REQUEST of 0 to 2 is slow; 0 enters
// nonetheless, as 2 asks concurrently.
func TestReiser5_7ReleaseOvertakesRequest(t *testing.T) {
	for _, a := range []messaging.Algorithm{lamport.New, lamport.NewSuppressed} {
		c := sim.Config{
			Algorithm: a, Nodes: 3, Load: sim.Script{{Node: 0}, {Node: 1}, {Node: 2}, {Node: 2, At: long}}, Stay: sim.Constant(T / 10),
			Except: slowRequests(0, 2),
		}
		run(t, c)
		c.Unordered = true
		r, err := sim.Run(c)
		assert.Equal(t, "deadlock", sim.Failure(err), "after the entries %v, want a node stuck", r.EntriesOf)
		assert.Equal(t, 1, r.EntriesOf[0], "entries of node 0")
	}
}
