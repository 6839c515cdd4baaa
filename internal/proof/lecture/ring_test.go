package lecture_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/tokenring"
)

// A perpetual is the perpetuum mobile with a pause that takes no time worth mentioning: the
// token of S1 is at node i at time i.
func perpetual(n int) sim.Config {
	return sim.Config{Algorithm: tokenring.New(time.Nanosecond), Nodes: n, Perpetual: true, Invariant: tokenring.Protocol.Invariant}
}

// Reiser 2002, slide 5.38: one waits for N/2 messages on average. Let the token be on its way
// to any of the N nodes: 0 to N-1 more hops follow, each as often, and the time is half a
// hop more, N/2 T on average.
func TestReiser5_38PerpetuumMobileWait(t *testing.T) {
	for _, n := range sizes {
		hops, wait := make([]int, n), 0.0
		for k := range n {
			sent := 0
			c := perpetual(n)
			c.Load = sim.Script{{Node: messaging.ID(n - 1), At: time.Duration(k)*T + T/2}}
			c.Observe = func(e messaging.Event) {
				switch e.Action {
				case "requested":
					sent = 0
				case "sent":
					sent++
				case "entered":
					hops[sent]++
				}
			}
			wait += run(t, c).Waiting.Mean
		}
		for k, times := range hops {
			assert.Equal(t, 1, times, "%d nodes: times that %d hops follow", n, k)
		}
		assert.InDelta(t, float64(n)/2, wait/float64(n), 1e-3, "%d nodes: the mean wait", n)
	}
}

// Mattern, "Vergleich der Nachrichtenkomplexität", LeLann 1977: 1 to infinity. It is 1 if all
// nodes always want to enter, N if one does, and grows with the time in which none does.
func TestMatternLeLannOneToInfinity(t *testing.T) {
	for _, n := range sizes {
		c := perpetual(n)
		c.Load, c.Entries = sim.HighLoad{}, 10*n
		assert.Equal(t, 10*n, run(t, c).Messages, "%d nodes, all of which enter", n)
		c.Load = sim.HighLoad{Users: []messaging.ID{0}}
		assert.Equal(t, 10*n*n, run(t, c).Messages+n-1, "%d nodes, one of which enters: the last round is not over", n)

		c = perpetual(n)
		c.Load = sim.Script{{Node: 0, At: long}}
		assert.Greater(t, run(t, c).Messages, 90, "%d nodes that are idle for %s", n, inT(long))
	}
}
