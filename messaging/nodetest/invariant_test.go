package nodetest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// A generous arbiter grants every request at once.
var generous = does{receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
	n.arbiter.Receive(from, m, out)
	if _, asks := m.(Request); asks && len(n.Queue) > 1 {
		out.Send(from, Grant{})
	}
}}.node

// oneGrant is that at most one Grant is in transit.
func oneGrant(_ []messaging.Node, transit []messaging.Event) error {
	grants := 0
	for _, e := range transit {
		if e.Message == any(Grant{}) {
			grants++
		}
	}
	if grants > 1 {
		return fmt.Errorf("there are %d grants", grants)
	}
	return nil
}

// Every host holds the invariant in each state, and says what violates it: a second Grant
// that no node has used yet.
func TestInvariant(t *testing.T) {
	const violation = "the invariant is violated: there are 2 grants"
	const first = "\nS2 asks\nS1 gets REQUEST(Path:[S2]) from S2\n"
	const second = "S3 asks\nS1 gets REQUEST(Path:[S3]) from S3"
	const scenario = "\nscenario: version 1; nodes 3; algorithm nodetest_test; rules b38c4021; run a1.d1.a2.d3"

	random := nodetest.Config{Nodes: 3, Users: []int{1, 2}, Invariant: oneGrant}
	all := explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 1}, Invariant: oneGrant}
	simulated := sim.Config{Algorithm: generous, Nodes: 3, Load: sim.HighLoad{Users: []messaging.ID{1, 2}}, Entries: 2, Invariant: oneGrant}

	err := nodetest.Run(generous, random)
	assert.ErrorContains(t, err, "seed 0: "+violation+first)
	assert.Equal(t, "invariant", sim.Failure(err))
	repeatsViolation(t, err)
	_, err = every(generous, all)
	assert.EqualError(t, err, "explore: invariant fails, in 4 events\n"+violation+first+second+scenario)
	repeatsViolation(t, err)
	err = nodetest.Check(generous, kinds(), random)
	assert.ErrorContains(t, err, "seed 0: "+violation+first)
	_, err = sim.Run(simulated)
	assert.EqualError(t, err, "sim: at 1 T: "+violation)
	assert.Equal(t, "invariant", sim.Failure(err))

	assert.NoError(t, nodetest.Run(of[arbiter], random))
	_, err = every(of[arbiter], all)
	assert.NoError(t, err)
	random.Users = nil
	assert.NoError(t, nodetest.Check(of[arbiter], kinds(), random))
	simulated.Algorithm = of[arbiter]
	_, err = sim.Run(simulated)
	assert.NoError(t, err)
}

// The initial state counts, once all nodes have started.
func TestInvariantAtFirst(t *testing.T) {
	const violation = "the invariant is violated: both are busy"
	idle := func(nodes []messaging.Node, _ []messaging.Event) error {
		if nodes[0].(*changed).Busy && nodes[1].(*changed).Busy {
			return errors.New("both are busy")
		}
		return nil
	}
	busy := does{born: func(n *changed) { n.Busy = true }}.node
	err := nodetest.Run(busy, nodetest.Config{Nodes: 2, Invariant: idle})
	assert.ErrorContains(t, err, "seed 0: "+violation+"\nscenario: version 1; nodes 2; ")
	_, err = every(busy, explore.NodesConfig{Nodes: 2, Invariant: idle})
	assert.ErrorContains(t, err, violation+"\nscenario: version 1; nodes 2; ")
	_, err = sim.Run(sim.Config{Algorithm: busy, Nodes: 2, Load: sim.LowLoad{}, Entries: 1, Invariant: idle})
	assert.EqualError(t, err, "sim: at 0 T: "+violation)
}

// A state that is a deadlock, too, violates the invariant: all hosts say so.
func TestInvariantOfDeadlock(t *testing.T) {
	const violation = "the invariant is violated: S2 waits for nothing"
	const events = "\nS2 asks\nS1 gets REQUEST(Path:[S2]) from S2\n"
	asks := func(nodes []messaging.Node, transit []messaging.Event) error {
		if nodes[1].(*changed).Asked && len(transit) == 0 {
			return errors.New("node 1 waits for nothing")
		}
		return nil
	}
	deaf := does{receive: func(*changed, messaging.ID, messaging.Message, messaging.Out) {}}.node
	_, err := every(deaf, explore.NodesConfig{Nodes: 2, Requests: []int{0, 1}, Invariant: asks})
	assert.ErrorContains(t, err, violation+events)
	err = nodetest.Run(deaf, nodetest.Config{Nodes: 2, Users: []int{1}, Entries: 1, Invariant: asks})
	assert.ErrorContains(t, err, violation+events)
	_, err = sim.Run(sim.Config{Algorithm: deaf, Nodes: 2, Load: sim.Script{{Node: 1}}, Invariant: asks})
	assert.EqualError(t, err, "sim: at 1 T: "+violation)
}

// repeatsViolation requires that the scenario of a failure repeats it.
func repeatsViolation(t *testing.T, failure error) {
	t.Helper()
	s, err := sim.ReadScenario("failure", strings.NewReader(nodetest.Scenario(failure)+"; expect fails invariant"))
	require.NoError(t, err)
	var output strings.Builder
	_, err = s.Run(&output, func(sim.Setting) (messaging.Algorithm, error) {
		s.Invariant = oneGrant
		return generous, nil
	})
	assert.NoError(t, err)
	assert.Contains(t, output.String(), "\n\nfails at 0: the invariant is violated: there are 2 grants\n")
}

// A burst is a node of which node 0 sends three numbers to node 1 at first.
type burst struct {
	start messaging.Start
	Got   int
}

func (n *burst) Start(out messaging.Out) {
	if n.start.Self == 0 {
		for k := range 3 {
			out.Send(1, k)
		}
	}
}

func (n *burst) Receive(_ messaging.ID, m messaging.Message, _ messaging.Out) { n.Got = m.(int) + 1 }

// The messages of a FIFO link are in the order of sending, and those that have arrived are
// not among them.
func TestInvariantInOrder(t *testing.T) {
	states := 0
	numbers := func(nodes []messaging.Node, transit []messaging.Event) error {
		states++
		var want []messaging.Event
		for k := nodes[1].(*burst).Got; k < 3; k++ {
			want = append(want, messaging.Event{From: 0, To: 1, Message: k})
		}
		if !slices.Equal(want, transit) {
			return fmt.Errorf("%v is in transit, not %v", transit, want)
		}
		return nil
	}
	bursts := func(start messaging.Start) messaging.Node { return &burst{start: start} }
	assert.NoError(t, nodetest.Run(bursts, nodetest.Config{Nodes: 2, Invariant: numbers}))
	assert.Equal(t, 4, states)
	_, err := every(bursts, explore.NodesConfig{Nodes: 2, Invariant: numbers})
	assert.NoError(t, err)
	assert.Equal(t, 12, states, "it is asked twice")
	_, err = sim.Run(sim.Config{Algorithm: bursts, Nodes: 2, Latency: sim.Uniform(0, sim.T), Invariant: numbers})
	assert.NoError(t, err)
	assert.Equal(t, 16, states)
}

// A node that is down has no state, and messages to it do not count until it is up again: here
// those that node 0, which has restarted, has sent twice.
func TestInvariantAfterCrashes(t *testing.T) {
	const twice = "the invariant is violated: 6 messages are in transit"
	down := map[int]bool{}
	few := func(nodes []messaging.Node, transit []messaging.Event) error {
		for _, e := range transit {
			if nodes[e.To] == nil {
				return fmt.Errorf("a message is in transit to node %d, which is down", e.To)
			}
		}
		for i, n := range nodes {
			down[i] = down[i] || n == nil
		}
		if len(transit) > 3 {
			return fmt.Errorf("%d messages are in transit", len(transit))
		}
		return nil
	}
	bursts := func(start messaging.Start) messaging.Node { return &burst{start: start} }
	found := ""
	for seed := uint64(0); seed < 1000 && !strings.Contains(found, twice); seed++ {
		found = fmt.Sprint(nodetest.Run(bursts, nodetest.Config{Nodes: 2, Crashes: 2, Restarts: 2, Seed: seed, Invariant: few}))
		assert.NotContains(t, found, "which is down")
	}
	assert.Contains(t, found, twice)
	assert.Equal(t, map[int]bool{0: true, 1: true}, down)

	clear(down)
	_, err := every(bursts, explore.NodesConfig{Nodes: 2, Crashes: 2, Restarts: 2, Invariant: few})
	assert.ErrorContains(t, err, twice+"\nS1 starts\nS2 starts\nS1 crashes\nS1 starts again\n")
	assert.Equal(t, map[int]bool{0: true, 1: true}, down)

	clear(down)
	_, err = sim.Run(sim.Config{
		Algorithm: bursts, Nodes: 2, Invariant: few,
		Crashes: []sim.Crash{{Node: 0, At: 1, Restart: 3}, {Node: 1, At: 2, Restart: 4}},
	})
	assert.EqualError(t, err, "sim: at 0.000004 T: "+twice)
	assert.Equal(t, map[int]bool{0: true, 1: true}, down)

	_, err = sim.Run(sim.Config{ // those that are lost have left when node 0 sends again
		Algorithm: bursts, Nodes: 2, Invariant: few,
		Crashes: []sim.Crash{{Node: 0, At: 1, Restart: 3 * sim.T}, {Node: 1, At: 2, Restart: 2 * sim.T}},
	})
	assert.NoError(t, err)
}
