package lecture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/singhal"
)

// Reiser 2002, slides 5.51 and 5.58: at first the i-th site asks the i-1 before it,
// and the token comes: i messages, for S6 six. The first enters without any.
func TestReiser5_58SinghalStaircase(t *testing.T) {
	for _, n := range sizes {
		for holder := range messaging.ID(n) {
			sum := 0
			for i := range n {
				asks := (holder + messaging.ID(i)) % messaging.ID(n)
				r := run(t, sim.Config{Algorithm: singhal.New, Nodes: n, Holder: holder, Load: together(asks)})
				assert.Equal(t, i, r.Kinds["REQUEST"], "%d sites, S%d has the token: S%d asks others", n, holder+1, asks+1)
				assert.Equal(t, min(i, 1), r.Kinds["TOKEN"], "%d sites, S%d has the token: times that it moves", n, holder+1)
				sum += r.Messages
			}
			assert.InDelta(t, halfOf(n), float64(sum)/float64(n), 1e-9, "%d sites: the mean", n)
		}
	}
}

// halfOf is the mean number of messages of a lone request, 0 + 2 + 3 + … + N over N.
func halfOf(n int) float64 { return float64(n+1)/2 - 1/float64(n) }

// Prabhakaran, slides 28 and 34: "average N/2" messages at low load. It is (N+1)/2 - 1/N if
// each site is as likely to ask; if all ask in turn, each asks all others.
func TestPrabhakaran34SinghalLowLoad(t *testing.T) {
	many := tier.Pick(4000, 40000)
	for _, n := range []int{4, 5, 10, 20} {
		c := sim.Config{Algorithm: singhal.New, Nodes: n, Load: sim.LowLoad{Random: true}, Entries: many}
		assert.InEpsilon(t, halfOf(n), run(t, c).PerEntry, 0.05, "%d sites that ask at random", n)

		c.Load, c.Entries = sim.LowLoad{}, 3*n
		staircase, rest := n*(n+1)/2-1, 2*n*n
		assert.Equal(t, staircase+rest, run(t, c).Messages, "%d sites that ask in turn: messages", n)
	}
}
