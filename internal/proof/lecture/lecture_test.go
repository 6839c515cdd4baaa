package lecture_test

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

const T = sim.T

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
	t.Helper()
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

// about counts the messages about each request, in algorithms in which each message
// begins with the stamp of its request.
type about map[messaging.Stamp]int

func (a about) observe(e messaging.Event) {
	if e.Action == "sent" {
		a[reflect.ValueOf(e.Message).Field(0).Interface().(messaging.Stamp)]++
	}
}

func system(t *testing.T, of func(int) (quorum.System, error), n int) quorum.System {
	t.Helper()
	s, err := of(n)
	require.NoError(t, err)
	return s
}

// planes are the numbers of nodes of projective planes.
var planes = []int{3, 7, 13, 21, 31, 57}

// inT formats a time in T.
func inT(d time.Duration) string { return fmt.Sprintf("%g T", float64(d)/float64(T)) }
