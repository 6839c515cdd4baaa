package lecture_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
)

var sizes = []int{2, 3, 4, 5, 8, 13, 20}

// Prabhakaran, slide 10, says when a REPLY is suppressed. If m requests cross, it is
// in one direction of each pair: all m entries take 3m(N-1) - m(m-1)/2, for m = N
// 2.5(N-1) each. The oldest of N gets no REPLY at all, and so takes 2(N-1), which is
// the lower bound; the k-th oldest gets one from each that is older.
func TestPrabhakaran10SuppressedReplies(t *testing.T) {
	for n := 2; n <= 7; n++ {
		for set := uint64(1); set < 1<<n; set++ {
			users := slices.Collect(messaging.Set{set}.All())
			for k, latency := range latencies {
				m, replies := len(users), make([]int, n)
				r := run(t, sim.Config{
					Algorithm: lamport.NewSuppressed, Nodes: n, Load: together(users...), Latency: latency, Seed: set*3 + uint64(k),
					Observe: func(e messaging.Event) {
						if messaging.Kind(e.Message) == "REPLY" && e.Action == "sent" {
							replies[e.To]++
						}
					},
				})
				assert.Equal(t, 3*m*(n-1)-m*(m-1)/2, r.Messages, "%d nodes, of which %v cross: messages", n, users)
				for k, i := range users { // in the order of their stamps
					assert.Equal(t, n-m+k, replies[i], "%d nodes, of which %v cross: replies that node %d got", n, users, i)
				}
			}
		}
	}
}

// HAW Hamburg, slide 23, proposes to acknowledge every message at once, and does
// not give the cost: none if no request is deferred, and otherwise a Deferred and
// an Acknowledge for each deferred request.
func TestHAW23AcknowledgedMessages(t *testing.T) {
	a := ricartagrawala.NewAcknowledged(1000*T, 10_000*T) // so that nothing is repeated
	for _, n := range sizes {
		for load, r := range underLoads(t, sim.Config{Algorithm: a, Nodes: n}) {
			each, deferred := (n-1)*r.Entries, r.Kinds["DEFERRED"]
			if r.Kinds["REQUEST"] != each || r.Kinds["GRANT"] != each || r.Kinds["ACKNOWLEDGE"] != deferred || r.Messages != 2*each+2*deferred {
				t.Errorf("%d nodes: %v", n, r)
			}
			if _, alone := load.(sim.LowLoad); alone {
				assert.Zero(t, deferred, "%d nodes: deferred at low load", n)
			}
		}
	}
}

// Prabhakaran, slide 14: a node that keeps its permissions takes "0 to 2(N-1)
// messages". When k others have entered since, it takes 2k, for every k; odd
// numbers do not occur. (The slide counts from the second entry: the first takes
// 2(N-1), since there are no permissions yet.)
func TestPrabhakaran14DynamicRequestSet(t *testing.T) {
	for _, n := range sizes {
		for k := range n {
			messages := func(entries int) int {
				load := sim.LowLoad{Users: append(all(k+1), 0)}
				return run(t, sim.Config{Algorithm: roucairolcarvalho.New, Nodes: n, Load: load, Entries: entries}).Messages
			}
			assert.Equal(t, 2*(n-1), messages(1), "%d nodes: messages of the first entry", n)
			assert.Equal(t, 2*k, messages(k+2)-messages(k+1), "%d nodes, %d others have entered in between: messages of the next", n, k)
		}
	}
}

// Reiser 2002, slide 5.23: 4(K-1) in case of conflict, "normally", with FAILED. Of N
// requests that cross on links of equal length the youngest fails at every other
// member, and takes exactly that many; the oldest fails at none, and takes 3(K-1).
func TestReiser5_23MaekawaYoungestFailsEverywhere(t *testing.T) {
	for _, n := range planes {
		s, sent := system(t, quorum.Plane, n), about{}
		k := s.Properties().Size.Most
		run(t, sim.Config{
			Algorithm: maekawa.New(s), Nodes: n, Load: together(all(n)...), Observe: sent.observe,
		})
		oldest, youngest := sent[messaging.Stamp{Time: 1, ID: 0}], sent[messaging.Stamp{Time: 1, ID: messaging.ID(n - 1)}]
		assert.Equal(t, 3*(k-1), oldest, "%d nodes: messages for the oldest", n)
		assert.Equal(t, 4*(k-1), youngest, "%d nodes: messages for the youngest", n)
	}
}

// Reiser 2002, slide 5.23: 5(K-1) at worst, with INQUIRE and RELINQUISH. A request
// costs that if it is the oldest, and each other member has locked for one that has
// failed. Here it is that of node 0, whose quorum is {0, 1, 3}. Node 6 is inside,
// with the lock of 0; 5 and 2 wait for it and have the locks of 1 and 3. They have
// asked and given up some times before, so that they are younger.
func TestReiser5_23MaekawaWorstCase(t *testing.T) {
	const n, k, begin, end = 7, 3, 90 * T, 150 * T
	script := sim.Script{{Node: 6, Stay: end}, {Node: 0, At: begin}}
	for at := 10 * T; at <= 70*T; at += 10 * T {
		for _, i := range []messaging.ID{2, 5} {
			r := sim.Request{Node: i, At: at}
			if at < 70*T {
				r.GiveUp = at + 5*T
			}
			script = append(script, r)
		}
	}
	kinds := map[string]int{}
	run(t, sim.Config{
		Algorithm: maekawa.New(system(t, quorum.Plane, n)), Nodes: n, Load: script,
		Observe: func(e messaging.Event) {
			during := e.At >= begin && e.At < end
			if release := messaging.Kind(e.Message) == "RELEASE"; e.Action == "sent" && (during || release && e.From == 0) {
				kinds[messaging.Kind(e.Message)]++
			}
		},
	})
	want := map[string]int{"REQUEST": k - 1, "INQUIRE": k - 1, "RELINQUISH": k - 1, "LOCKED": k - 1, "RELEASE": k - 1}
	assert.Equal(t, want, kinds, "what the request of node 0 set off")
}
