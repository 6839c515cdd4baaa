package lecture_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/sim"
)

// Reiser 2002, slides 5.6 and 5.7, and Prabhakaran, slide 8: Lamport's algorithm needs
// FIFO links, since else a REQUEST might come later than a younger message. So it
// does: if the REQUEST of 0 is slow, and its REPLY to 1 is not, 1 enters on the
// strength of that. But 0 is older, and has a younger message of 1.
func TestReiser5_7ReplyOvertakesRequest(t *testing.T) {
	for _, a := range []messaging.Algorithm{lamport.New, lamport.NewSuppressed} {
		c := sim.Config{
			Algorithm: a, Nodes: 3, Load: sim.Script{{Node: 0}, {Node: 1, At: T / 2}}, Stay: sim.Constant(long),
			Except: []sim.Exception{{Kind: "REQUEST", From: []messaging.ID{0}, To: []messaging.ID{1}, Latency: sim.Constant(20 * T)}},
		}
		run(t, c)
		c.Unordered = true
		_, err := sim.Run(c)
		assert.ErrorIs(t, err, sim.ErrExclusion, "want two inside")
	}
}

// The other way to fail: a RELEASE that overtakes its REQUEST releases nothing, and the
// request stays in the queue for ever, in front of those of all that come later. Here
// the REQUEST of 0 to 2 is slow; 0 enters nonetheless, as 2 asks at the same time.
func TestReiser5_7ReleaseOvertakesRequest(t *testing.T) {
	for _, a := range []messaging.Algorithm{lamport.New, lamport.NewSuppressed} {
		c := sim.Config{
			Algorithm: a, Nodes: 3, Load: sim.Script{{Node: 0}, {Node: 1}, {Node: 2}, {Node: 2, At: long}}, Stay: sim.Constant(T / 10),
			Except: []sim.Exception{{Kind: "REQUEST", From: []messaging.ID{0}, To: []messaging.ID{2}, Latency: sim.Constant(20 * T)}},
		}
		run(t, c)
		c.Unordered = true
		r, err := sim.Run(c)
		assert.ErrorIs(t, err, sim.ErrStuck, "after the entries %v, want a node stuck", r.EntriesOf)
		assert.Equal(t, 1, r.EntriesOf[0], "entries of node 0")
	}
}

// Both happen by chance as well: on links on which messages overtake each other about
// every other run of Lamport's algorithm ends badly.
func TestReiser5_6LamportWithoutFIFO(t *testing.T) {
	for _, name := range []string{"lamport", "lamport-suppressed"} {
		ends := map[error]int{}
		for seed := range uint64(100) {
			_, err := sim.Run(sim.Config{
				Algorithm: protocol(t, name).New(4), Nodes: 4, Load: sim.HighLoad{Think: sim.Uniform(0, 4*T)}, Entries: 40, Seed: seed,
				Latency: sim.Exponential(T), Unordered: true,
			})
			for _, kind := range []error{sim.ErrExclusion, sim.ErrStuck, sim.ErrPanic, sim.ErrEndless} {
				if errors.Is(err, kind) {
					ends[kind]++
				}
			}
		}
		t.Logf("%s: of 100 runs so many ended badly: %v", name, ends)
		if ends[sim.ErrExclusion] == 0 || ends[sim.ErrStuck] == 0 || ends[sim.ErrExclusion]+ends[sim.ErrStuck] < 40 {
			t.Errorf("%s: %v", name, ends)
		}
	}
}

// Reiser 2002, slide 5.9: for the algorithm of Ricart and Agrawala "the FIFO property is
// not necessary". Nor is it for any of the others, whatever slide 5.35 warns of: it
// says that Cao's and Singhal's cannot count on it.
func TestReiser5_9WithoutFIFO(t *testing.T) {
	for _, p := range catalog.Protocols {
		if p.FIFO {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds(1000) {
				n := []int{2, 3, 4, 5, 7, 13}[seed%6]
				r := run(t, sim.Config{
					Algorithm: p.New(n), Nodes: n, Load: sim.HighLoad{Think: sim.Uniform(0, 3*T)}, Entries: 4 * n, Seed: seed,
					Latency: sim.Exponential(T), Stay: sim.Exponential(T / 2), Unordered: true,
				})
				if r.Entries != 4*n {
					t.Errorf("seed %d: %d entries, want %d", seed, r.Entries, 4*n)
				}
			}
		})
	}
}
