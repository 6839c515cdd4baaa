package lecture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Reiser 2002, slide 5.42, and Prabhakaran, slide 34: N messages, N-1 REQUESTs and the TOKEN.
// Prabhakaran, slide 24: "0 to N". It is N or 0: 0 if the token is at the node already. That
// is so under every load, on links of any kind.
func TestReiser5_42SuzukiKasamiNOrNothing(t *testing.T) { nOrNothing(t, "suzukikasami") }

// Mattern, "Vergleich der Nachrichtenkomplexität": n messages in the algorithm of Ricart and
// Agrawala of 1983, which asks for a token by broadcast ("Token-basierte Algorithmen"). It is n
// or 0, as above.
func TestMatternRicartAgrawala1983NOrNothing(t *testing.T) { nOrNothing(t, "ricartagrawala1983") }

func nOrNothing(t *testing.T, name string) {
	t.Helper()
	for _, n := range sizes {
		a := protocol(t, name).New(n)
		for _, holder := range []messaging.ID{0, messaging.ID(n - 1)} {
			for _, r := range underLoads(t, sim.Config{Algorithm: a, Nodes: n, Holder: holder, Order: true}) {
				here := 0
				for _, v := range r.Order {
					if v.Entered == v.Requested {
						here++
					}
				}
				asked := r.Entries - here
				assert.Equal(t, asked, r.Kinds["TOKEN"], "%d nodes: tokens for %d entries, %d of them without", n, r.Entries, here)
				assert.Equal(t, asked*(n-1), r.Kinds["REQUEST"], "%d nodes: requests", n)
				assert.Equal(t, asked*n, r.Messages, "%d nodes: messages", n)
			}
		}
	}
}
