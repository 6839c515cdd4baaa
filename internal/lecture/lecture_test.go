package lecture_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

// settings returns c at low and high load, with constant and varying latencies,
// with FIFO links and, if the algorithm does not need them, without.
func settings(c sim.Config, users []messaging.ID, fifo bool) []sim.Config {
	c.Entries = 5*len(users) + 20
	var cs []sim.Config
	for k, latency := range latencies {
		for _, load := range []sim.Load{
			sim.LowLoad{Users: users},
			sim.LowLoad{Users: users, Random: true},
			sim.HighLoad{Users: users},
			sim.HighLoad{Users: users, Think: sim.Uniform(0, 10*T)},
		} {
			c.Latency, c.Load, c.Unordered, c.Seed = latency, load, false, uint64(len(cs))
			cs = append(cs, c)
			if c.Unordered = true; !fifo && k > 0 {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

// counts checks that each entry took that number of messages of each kind, and no
// others.
func counts(t *testing.T, r sim.Report, each map[string]int) {
	t.Helper()
	sum := 0
	for kind, n := range each {
		sum += n
		assert.Equal(t, n*r.Entries, r.Kinds[kind], "%d nodes: %s that %d entries took", r.Nodes, kind, r.Entries)
	}
	assert.Equal(t, sum*r.Entries, r.Messages, "%d nodes: messages that %d entries took:\n%v", r.Nodes, r.Entries, r)
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

// inTurn returns a load in which each node enters that many times, uncontended.
func inTurn(times int, nodes ...messaging.ID) sim.Script {
	var s sim.Script
	for k := range times * len(nodes) {
		s = append(s, sim.Request{Node: nodes[k%len(nodes)], At: time.Duration(k) * long})
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

// enterers returns the nodes in the order of their entries.
func enterers(r sim.Report) []messaging.ID {
	var ids []messaging.ID
	for _, v := range r.Order {
		ids = append(ids, v.Node)
	}
	return ids
}

// names are those of all protocols.
func names() []string {
	var names []string
	for _, p := range catalog.Protocols {
		names = append(names, p.Name)
	}
	return names
}
