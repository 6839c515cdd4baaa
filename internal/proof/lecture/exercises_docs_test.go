package lecture_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/changroberts"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

const exercises = `
## Until something larger comes

F. Mattern's *Übungen (4)* ask how long one waits for something larger. On a ring, a candidate of [Chang and Roberts's
election](../messaging/election/changroberts) continues until it meets a larger node. It goes k hops or more if it is the largest of k nodes,
counted from itself: with probability 1/k. The mean is H(N) = 1 + 1/2 + … + 1/N hops.

%s
The exercises have the same answer:

- **Alois** stops fishing when a fish is larger than his first one, or none is left. He catches k+1 fish or more with probability 1/k, and
  1 + H(n-1) on average: %.1f of n = 1000, %.1f of 10⁶, %.1f of 2³¹, %.1f of 10¹³. With probability 1/(n-1) the lake is empty in the end, which
  adds about 1 to the mean. If fish are born faster than he catches them, the mean is infinite. Waiting for a smaller fish takes as long.
- **The first record**, a January colder than the first one, comes after %.1f years on average in a century, and %.1f in a millennium;
  a period without a record counts in full. Its probability is 1/6 for the third year, and 1/9900 for the 100th. In a millennium,
  it is 1/100 - 1/1000 = 0.009 for all later years, and 1/1000 for none.
- **On a walk** you meet H(n-1) of n-1 others on average until one is taller, or none is left. You are the tallest with probability
  1/n, which adds about 1 to the mean.

## How far apart nodes are

On a tree, a request of [Raymond's algorithm](../messaging/token/raymond) goes to the node with the token, and the token comes back. If any
node may request and any other may have the token, the mean distance is (n+1)/3 hops on a line, up to 2 on a star, and of the order of log n on a
binary tree.

![How far the token goes](exercises/distance.svg)

%s
`

// The exercises of docs/scenarios.md have what is measured, beside what is computed. To measure it anew:
//
//	go generate ./internal/proof/lecture
func TestExercisesDocs(t *testing.T) {
	tier.NeedsFull(t, "measures what the page says")
	distance, distanceTable := distanceFigure(t)
	const docs, again = "../../../docs", "go generate ./internal/proof/lecture"
	page.Generated(t, filepath.Join(docs, "scenarios.md"), "exercises", again, fmt.Sprintf(exercises, hopsTable(t),
		catch(1000), catch(1e6), catch(1<<31), catch(1e13), catch(100), catch(1000), distanceTable))
	page.Golden(t, filepath.Join(docs, "exercises/distance.svg"), again, string(distance.SVG()))
}

// catch is 1 + H(n-1), for a large n.
func catch(n float64) float64 {
	const gamma = 0.5772156649015329 // Euler's constant
	return 1 + math.Log(n-1) + gamma + 1/(2*(n-1))
}

// hopsTable is how far candidates go on 100 random rings of 1000 nodes.
func hopsTable(t *testing.T) string {
	t.Helper()
	const n, rings = 1000, 100
	var all []int
	for seed := range uint64(rings) {
		all = append(all, hops(t, randomRing(n, seed))...)
	}
	table := "| k hops or more | measured | 1/k |\n|---:|---:|---:|\n"
	sum := 0
	for _, h := range all {
		sum += h
	}
	for _, k := range []int{1, 3, 10, 50, 200, 1000} {
		table += fmt.Sprintf("| %d | %.4f | %.4f |\n", k, share(all, func(h int) bool { return h >= k }), 1/float64(k))
	}
	return table + fmt.Sprintf("\nOn average %.2f hops; H(%d) = %.2f.\n", float64(sum)/float64(len(all)), n, harmonic(n))
}

// distanceFigure is how far the token goes if random nodes ask, of those entries for which it
// moves.
func distanceFigure(t *testing.T) (svg.Chart, string) {
	t.Helper()
	ns := []int{4, 8, 16, 32, 64, 128, 256}
	shapes := []struct {
		name, theory string
		of           func(n int) topology.Graph
		mean         func(n int) float64
	}{
		{"line", "(n+1)/3", topology.Line, func(n int) float64 { return float64(n+1) / 3 }},
		{"binary tree", "its mean distance", func(n int) topology.Graph { return topology.Tree(n, 2) }, func(n int) float64 {
			_, mean := paths.Distances(topology.Tree(n, 2))
			return mean
		}},
		{"star", "2(n-1)/n", topology.Star, func(n int) float64 { return 2 * float64(n-1) / float64(n) }},
	}
	c := svg.Chart{
		Title: "How far the token goes", Note: "Raymond's algorithm, random requests one after the other",
		X: "nodes n", Y: "hops of the token, on average", Xs: ns, Format: func(v float64) string { return fmt.Sprintf("%g", v) },
	}
	rows := make([]string, len(ns))
	head, rule := "| n |", "|---:|"
	for k, s := range shapes {
		line := svg.Line{Name: s.name, Note: "thin: " + s.theory, Color: svg.Palette[k][0]}
		head, rule = head+fmt.Sprintf(" %s | %s |", s.name, s.theory), rule+"---:|---:|"
		for i, n := range ns {
			r := run(t, sim.Config{Algorithm: raymond.New(s.of(n)), Nodes: n, Load: sim.LowLoad{Random: true}, Entries: 2000, Order: true})
			moved := 0
			for _, v := range r.Order {
				if v.Entered > v.Requested {
					moved++
				}
			}
			y := float64(r.Kinds["TOKEN"]) / float64(moved)
			line.Ys, line.Theory = append(line.Ys, y), append(line.Theory, s.mean(n))
			assert.InEpsilon(t, s.mean(n), y, 0.05, "%s of %d nodes", s.name, n)
			rows[i] += fmt.Sprintf(" %.2f | %.2f |", y, s.mean(n))
		}
		c.Lines = append(c.Lines, line)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	for i := 0; i < len(ns); i += 2 {
		fmt.Fprintf(&b, "| %d |%s\n", ns[i], rows[i])
	}
	return c, b.String()
}

// hops returns how many hops each candidate goes when all nodes of a ring hold Chang and Roberts's
// election at the same time.
func hops(t *testing.T, ring []messaging.ID) []int {
	t.Helper()
	of := make([]int, len(ring))
	c := sim.Config{Algorithm: changroberts.New(ring), Nodes: len(ring)}
	for _, i := range ring {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: election.Hold{}})
	}
	c.Observe = func(e messaging.Event) {
		if e.Action == "sent" && messaging.Kind(e.Message) == "ELECT" {
			of[reflect.ValueOf(e.Message).FieldByName("Candidate").Int()]++
		}
	}
	run(t, c)
	return of
}

// randomRing returns n nodes in a random order.
func randomRing(n int, seed uint64) []messaging.ID {
	ring := all(n)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(n, func(a, b int) { ring[a], ring[b] = ring[b], ring[a] })
	return ring
}

// harmonic returns H(n) = 1 + 1/2 + ... + 1/n.
func harmonic(n int) float64 {
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += 1 / float64(k)
	}
	return sum
}

// share returns the share of numbers for which is is true.
func share(numbers []int, is func(int) bool) float64 {
	count := 0
	for _, m := range numbers {
		if is(m) {
			count++
		}
	}
	return float64(count) / float64(len(numbers))
}
