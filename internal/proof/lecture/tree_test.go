package lecture_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/topology"
)

// trees are the shapes of which the lectures speak: for n nodes, a line, a star, and
// trees in which each node has two or three children.
func trees(n int) map[string]topology.Graph {
	return map[string]topology.Graph{
		"line": topology.Line(n), "star": topology.Star(n), "binary": topology.Tree(n, 2), "ternary": topology.Tree(n, 3),
	}
}

// Mattern, "Der O(log n)-Algorithmus": a request goes to the holder along the tree, and
// the token comes back. So a lone request at distance d takes 2d messages, and 2d T until
// the entry; the holder's own takes none.
func TestMatternTreeTwoMessagesAnEdge(t *testing.T) {
	for _, n := range sizes {
		for shape, tree := range trees(n) {
			for _, holder := range all(n) {
				distance := paths.Router(tree)(holder).Distance
				for _, i := range all(n) {
					r := run(t, sim.Config{Algorithm: raymond.New(tree), Nodes: n, Holder: holder, Load: sim.Script{{Node: i}}})
					d := distance[i]
					assert.Equal(t, []int{d, d}, []int{r.Kinds["REQUEST"], r.Kinds["TOKEN"]}, "%s of %d nodes: messages from %d to %d and back", shape, n, i, holder)
					assert.Equal(t, time.Duration(2*d)*T, r.Waiting.Longest, "%s of %d nodes: time from %d to %d and back", shape, n, i, holder)
				}
			}
		}
	}
}

// Prabhakaran, slides 31 and 34, and Reiser 2002, slide 5.48: O(log N) messages at low load
// and a synchronization delay of the same order, since the mean distance of two nodes is
// O(log N). Of two nodes at distance d the delay is d T. On a balanced tree with k
// children a node no distance is above 2(1 + log_k N). (Slide 34 takes half the logarithm
// for the mean distance. It is larger: most nodes are near the leaves.)
func TestPrabhakaran34TreeLogN(t *testing.T) {
	for _, n := range sizes {
		for _, tree := range trees(n) {
			routes := paths.Router(tree)
			delays(t, sim.Config{Algorithm: raymond.New(tree), Nodes: n}, func(leaver, enterer messaging.ID) int {
				return routes(leaver).Distance[enterer]
			})
		}
	}
	for _, n := range []int{15, 127, 1023} {
		for _, k := range []int{2, 3} {
			tree := topology.Tree(n, k)
			log := math.Log(float64(n)) / math.Log(float64(k))
			diameter, mean := paths.Distances(tree)
			assert.LessOrEqual(t, float64(diameter), 2*(1+log), "diameter of %d nodes", n)
			assert.Greater(t, mean, log/2, "mean distance of %d nodes", n)
			r := run(t, sim.Config{Algorithm: raymond.New(tree), Nodes: n, Load: sim.LowLoad{Random: true}, Entries: 4000})
			assert.InEpsilon(t, 2*mean*float64(n-1)/float64(n), r.PerEntry, 0.03, "%d nodes, k = %d: messages of an entry, which may be at the holder", n, k)
		}
	}
}

// Mattern, "Vergleich der Nachrichtenkomplexität": van de Snepscheut's algorithm takes O(log n)
// messages. That is so where distances are O(log n). On a grid they are O(√n), and an entry
// takes more than 5 log₂ n messages.
func TestMatternSnepscheutGrid(t *testing.T) {
	const n = 32 * 32
	r := run(t, sim.Config{Algorithm: snepscheut.New(topology.Grid(32, 32)), Nodes: n, Load: sim.LowLoad{Random: true}, Entries: 400})
	assert.Greater(t, r.PerEntry, 5*math.Log2(n), "messages of an entry")
}

// Prabhakaran, slide 31: "Greedy approach: Intermediate site getting the token may enter CS
// instead of forwarding it down. Affects fairness, may cause starvation." Mattern, "Der
// O(log n)-Algorithmus", bounds how often the token goes elsewhere while an edge waits. On a
// star at high load, the node in the middle passes over each leaf as often as the bound
// allows. Without a bound it has half of all entries, and passes over each leaf as often as
// there are other leaves; but no leaf starves, since on exit the token goes to a leaf.
func TestPrabhakaran31GreedyPassesOver(t *testing.T) {
	const rounds = 100
	for _, leaves := range []int{2, 5, 9} {
		for _, bound := range []int{0, 1, 2, 5, math.MaxInt} {
			n := leaves + 1
			r := run(t, sim.Config{
				Algorithm: raymond.NewGreedy(topology.Star(n), bound), Nodes: n, Load: sim.HighLoad{}, Entries: 2 * rounds * n, Order: true,
			})
			middle := min(bound, leaves-1) + 1 // entries, for one of each leaf
			assert.InDelta(t, float64(middle)/float64(middle+leaves), float64(r.EntriesOf[0])/float64(r.Entries), 2/float64(rounds), "%d leaves, bound %d: share of the middle", leaves, bound)
			assert.Equal(t, middle-1, mostBypassed(r), "%d leaves, bound %d: how often a leaf is passed over", leaves, bound)
		}
	}
}

// mostBypassed returns the largest number of entries by later requests while a request waits.
func mostBypassed(r sim.Report) int {
	most := 0
	for k, v := range r.Order {
		later := 0
		for _, u := range r.Order[:k] {
			if u.Requested > v.Requested {
				later++
			}
		}
		most = max(most, later)
	}
	return most
}
