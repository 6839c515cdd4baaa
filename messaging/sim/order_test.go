package sim_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// eventsAt returns the events at the given times.
func eventsAt(t *testing.T, c sim.Config, times ...int) string {
	t.Helper()
	var b strings.Builder
	line := sim.Trace(&b)
	c.Observe = func(e messaging.Event) {
		if at := int(e.At / sim.T); slices.Contains(times, at) {
			line(e)
		}
	}
	run(t, c)
	return regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
}

// TestOrderOfTies checks the order of events at the same time, as the package comment
// gives it.
func TestOrderOfTies(t *testing.T) {
	const T = sim.T
	script := sim.Config{
		Algorithm: fair, Nodes: 6,
		Load:    sim.Script{{Node: 3, At: 2 * T}, {Node: 2, At: T}, {Node: 0, At: 2 * T}, {Node: 1, At: T}, {Node: 0}},
		Crashes: []sim.Crash{{Node: 5, At: 2 * T}, {Node: 4, At: 2 * T}},
	}
	assert.Equal(t, `0 S1 asks
0 S1 enters
1 S2 asks
1 S2 sends ASK to S1
1 S3 asks
1 S3 sends ASK to S1
1 S1 leaves
2 S6 crashes
2 S5 crashes
2 S4 asks
2 S4 sends ASK to S1
2 S1 gets ASK from S2
2 S1 sends GRANT to S2
2 S1 gets ASK from S3
2 S1 asks
`, eventsAt(t, script, 0, 1, 2))

	// An exit schedules the next request, so that of two nodes that ask at 20 the one
	// that left first comes first; and a message comes before one sent later.
	again := sim.Config{
		Algorithm: fair, Nodes: 3,
		Load: sim.Script{{Node: 2}, {Node: 1, At: T}, {Node: 1, At: 20 * T}, {Node: 2, At: 20 * T}},
		Except: []sim.Exception{
			{From: []messaging.ID{2}, Latency: sim.Constant(3 * T)},
		},
	}
	assert.Equal(t, `20 S2 asks
20 S2 sends ASK to S1
20 S3 asks
20 S3 sends ASK to S1
`, eventsAt(t, again, 20))

	// A request schedules the time at which it is given up after its messages.
	givenUp := sim.Config{Algorithm: fair, Nodes: 2, Load: sim.Script{{Node: 1, GiveUp: T}}}
	assert.Equal(t, `1 S1 gets ASK from S2
1 S1 sends GRANT to S2
1 S2 gives up
`, eventsAt(t, givenUp, 1))

	high := sim.Config{Algorithm: fair, Nodes: 4, Load: sim.HighLoad{Users: []messaging.ID{3, 0, 2}}, Entries: 4}
	assert.Equal(t, `0 S4 asks
0 S4 sends ASK to S1
0 S1 asks
0 S1 enters
0 S3 asks
0 S3 sends ASK to S1
1 S1 gets ASK from S4
1 S1 leaves
1 S1 sends GRANT to S4
1 S1 gets ASK from S3
1 S1 asks
`, eventsAt(t, high, 0, 1))
}
