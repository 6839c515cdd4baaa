package lecture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/sim"
)

// The other failure: a RELEASE that overtakes its REQUEST releases nothing, and the
// request stays in the queue forever, ahead of all later ones. Here the REQUEST of
// 0 to 2 is slow; 0 enters nonetheless, as 2 asks concurrently.
func TestReiser5_7ReleaseOvertakesRequest(t *testing.T) {
	for _, a := range []messaging.Algorithm{lamport.New, lamport.NewSuppressed} {
		c := sim.Config{
			Algorithm: a, Nodes: 3, Load: sim.Script{{Node: 0}, {Node: 1}, {Node: 2}, {Node: 2, At: long}}, Stay: sim.Constant(T / 10),
			Except: []sim.Exception{{Kind: "REQUEST", From: []messaging.ID{0}, To: []messaging.ID{2}, Latency: sim.Constant(20 * T)}},
		}
		run(t, c)
		c.Unordered = true
		r, err := sim.Run(c)
		assert.Equal(t, "deadlock", sim.Failure(err), "after the entries %v, want a node stuck", r.EntriesOf)
		assert.Equal(t, 1, r.EntriesOf[0], "entries of node 0")
	}
}

// Reiser 2002, slide 5.9: for the algorithm of Ricart and Agrawala "the FIFO
// property is not necessary". Nor is it for the other algorithms. (Slide 5.35 warns
// that Cao's and Singhal's cannot rely on it.)
func TestReiser5_9WithoutFIFO(t *testing.T) {
	for _, p := range catalog.Protocols {
		if p.FIFO {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(tier.Pick(25, 1000)) {
				n := []int{2, 3, 4, 5, 7, 13}[seed%6]
				r := run(t, sim.Config{
					Algorithm: p.New(n), Nodes: n, Load: sim.HighLoad{Think: sim.Uniform(0, 3*T)}, Entries: 4 * n, Seed: seed,
					Latency: sim.Exponential(T), Stay: sim.Exponential(T / 2), Unordered: true,
					Perpetual: p.Perpetual, Invariant: p.Invariant,
				})
				if r.Entries != 4*n {
					t.Errorf("seed %d: %d entries, want %d", seed, r.Entries, 4*n)
				}
			}
		})
	}
}
