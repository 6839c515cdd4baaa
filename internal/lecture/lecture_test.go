package lecture_test

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

const T = sim.T

// seeds returns that many seeds, or a tenth of them in the quick tests.
func seeds(many int) uint64 {
	if !tier.Full {
		many = max(1, many/10)
	}
	return uint64(many)
}

// run runs c and requires success.
func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err)
	return r
}

func protocol(t *testing.T, name string) catalog.Protocol {
	t.Helper()
	p, ok := catalog.FindProtocol(name)
	require.True(t, ok, "there is no protocol %s", name)
	return p
}

func all(n int) []messaging.ID {
	ids := make([]messaging.ID, n)
	for i := range ids {
		ids[i] = messaging.ID(i)
	}
	return ids
}

// without returns all nodes except some.
func without(n int, some ...messaging.ID) []messaging.ID {
	return slices.DeleteFunc(all(n), func(i messaging.ID) bool { return slices.Contains(some, i) })
}

// latencies all have the mean T.
var latencies = []sim.Distribution{
	sim.Constant(T), sim.Uniform(0, 2*T), sim.Exponential(T),
}

// underLoads yields runs of c at low and at high load, with constant latencies on FIFO links, and with
// varying ones on any.
func underLoads(t *testing.T, c sim.Config) iter.Seq2[sim.Load, sim.Report] {
	return func(yield func(sim.Load, sim.Report) bool) {
		c.Entries = 5*c.Nodes + 20
		for k, latency := range latencies {
			for _, load := range []sim.Load{
				sim.LowLoad{}, sim.LowLoad{Random: true}, sim.HighLoad{}, sim.HighLoad{Think: sim.Uniform(0, 10*T)},
			} {
				c.Latency, c.Load, c.Unordered, c.Seed = latency, load, k > 0, c.Seed+1
				if !yield(load, run(t, c)) {
					return
				}
			}
		}
	}
}

// together returns a load in which nodes ask at time 0, so that all their requests
// cross.
func together(nodes ...messaging.ID) sim.Script {
	var s sim.Script
	for _, i := range nodes {
		s = append(s, sim.Request{Node: i})
	}
	return s
}

// long is time enough for all messages to arrive.
const long = 100 * T

// eachAfterEach returns a load in which every node enters after every other one: it
// asks while the other is inside, long before its exit.
func eachAfterEach(n int) sim.Script {
	var s sim.Script
	at := time.Duration(0)
	for _, first := range all(n) {
		for _, second := range without(n, first) {
			s = append(s,
				sim.Request{Node: first, At: at, Stay: long},
				sim.Request{Node: second, At: at + long/2},
			)
			at += 2 * long
		}
	}
	return s
}

// costs returns the messages of each entry under an uncontended load.
func costs(t *testing.T, c sim.Config) []int {
	t.Helper()
	var each []int
	c.Observe = func(e messaging.Event) {
		switch e.Action {
		case "requested":
			each = append(each, 0)
		case "sent":
			each[len(each)-1]++
		}
	}
	run(t, c)
	return each
}

// about counts the messages about each request, in algorithms in which each message
// begins with the stamp of its request.
type about map[messaging.Stamp]int

func (a about) observe(e messaging.Event) {
	if e.Action == "sent" {
		a[reflect.ValueOf(e.Message).Field(0).Interface().(messaging.Stamp)]++
	}
}

// most returns the maximum for a single request.
func (a about) most() int {
	most := 0
	for _, n := range a {
		most = max(most, n)
	}
	return most
}

func system(t *testing.T, of func(int) (quorum.System, error), n int) quorum.System {
	t.Helper()
	s, err := of(n)
	require.NoError(t, err)
	return s
}

// planes are the numbers of nodes of projective planes.
var planes = []int{3, 7, 13, 21, 31, 57}

// size is Maekawa's K for the number of nodes of a plane: N = K(K-1)+1.
func size(n int) int { return int(math.Round((1 + math.Sqrt(float64(4*n-3))) / 2)) }

// near reports whether two measures differ by rounding only.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// inT formats a time in T.
func inT(d time.Duration) string { return fmt.Sprintf("%g T", float64(d)/float64(T)) }
