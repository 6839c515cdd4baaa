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

// Every host holds the invariant in each state, and says what violates it: a second token
// that no node has used yet.
func TestInvariant(t *testing.T) {
	const violation = "the invariant is violated: there are 2 tokens: at node 0 and in transit from node 0 to node 1"
	const events = "\nnode 1 requests\nnode 0 gets Ask{} from 1"
	const scenario = "\nscenario: version 1; nodes 2; algorithm nodetest_test; rules 5297708b; run a1.d1"

	kinds := []messaging.Message{Ask{}, Token{}}
	random := nodetest.Config{Nodes: 2, Users: []int{1}, Invariant: oneToken}
	all := explore.NodesConfig{Nodes: 2, Requests: []int{0, 2}, Invariant: oneToken}
	simulated := sim.Config{Algorithm: holders(true), Nodes: 2, Load: sim.HighLoad{Users: []messaging.ID{1}}, Entries: 2, Invariant: oneToken}

	err := nodetest.Run(holders(true), random)
	assert.EqualError(t, err, "seed 0: "+violation+events+scenario)
	assert.Equal(t, "invariant", nodetest.Failure(err))
	repeatsViolation(t, err)
	_, err = every(holders(true), all)
	assert.EqualError(t, err, violation+events+scenario)
	repeatsViolation(t, err)
	err = nodetest.Check(holders(true), kinds, random)
	assert.EqualError(t, err, "seed 0: "+violation+events+scenario)
	_, err = sim.Run(simulated)
	assert.EqualError(t, err, "sim: at 1 T: "+violation)
	assert.Equal(t, "invariant", sim.Failure(err))

	assert.NoError(t, nodetest.Run(holders(false), random))
	_, err = every(holders(false), all)
	assert.NoError(t, err)
	random.Users = nil
	assert.NoError(t, nodetest.Check(holders(false), kinds, random))
	simulated.Algorithm = holders(false)
	_, err = sim.Run(simulated)
	assert.NoError(t, err)
}

// The initial state counts, once all nodes have started.
func TestInvariantAtFirst(t *testing.T) {
	const violation = "the invariant is violated: there are 2 tokens: at node 0 and at node 1"
	both := func(start messaging.Start) messaging.Node { return &holder{start: start, Holds: true} }
	err := nodetest.Run(both, nodetest.Config{Nodes: 2, Invariant: oneToken})
	assert.ErrorContains(t, err, "seed 0: "+violation+"\nscenario: version 1; nodes 2; ")
	_, err = every(both, explore.NodesConfig{Nodes: 2, Invariant: oneToken})
	assert.ErrorContains(t, err, violation+"\nscenario: version 1; nodes 2; ")
	_, err = sim.Run(sim.Config{Algorithm: both, Nodes: 2, Load: sim.LowLoad{}, Entries: 1, Invariant: oneToken})
	assert.EqualError(t, err, "sim: at 0 T: "+violation)
}

// A state that is a deadlock, too, violates the invariant: all hosts say so.
func TestInvariantOfDeadlock(t *testing.T) {
	noAsk := func(nodes []messaging.Node, transit []messaging.Event) error {
		if nodes[1].(*holder).Waits && len(transit) == 0 {
			return errors.New("node 1 waits for nothing")
		}
		return nil
	}
	none := func(start messaging.Start) messaging.Node { return &holder{start: start} }
	_, err := every(none, explore.NodesConfig{Nodes: 2, Requests: []int{0, 1}, Invariant: noAsk})
	assert.ErrorContains(t, err, "the invariant is violated: node 1 waits for nothing\nnode 1 requests\nnode 0 gets Ask{} from 1\n")
	err = nodetest.Run(none, nodetest.Config{Nodes: 2, Users: []int{1}, Entries: 1, Invariant: noAsk})
	assert.ErrorContains(t, err, "the invariant is violated: node 1 waits for nothing\nnode 1 requests\nnode 0 gets Ask{} from 1\n")
	_, err = sim.Run(sim.Config{Algorithm: none, Nodes: 2, Load: sim.Script{{Node: 1}}, Invariant: noAsk})
	assert.EqualError(t, err, "sim: at 1 T: the invariant is violated: node 1 waits for nothing")
}

// repeatsViolation requires that the scenario of a failure repeats it.
func repeatsViolation(t *testing.T, failure error) {
	t.Helper()
	s, err := sim.ReadScenario("failure", strings.NewReader(nodetest.Scenario(failure)+"; expect fails invariant"))
	require.NoError(t, err)
	lookup := func(sim.Setting) (messaging.Algorithm, error) {
		s.Invariant = oneToken
		return holders(true), nil
	}
	r, err := s.Start(lookup)
	require.NoError(t, err)
	assert.Equal(t, "invariant", sim.Failure(r.Err()))
	var output strings.Builder
	_, err = s.Run(&output, lookup)
	assert.NoError(t, err)
	assert.Contains(t, output.String(), "\n\nfails at 0: the invariant is violated (node 0 is S1): there are 2 tokens: at node 0 and in transit from node 0 to node 1\n")
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
		want := []messaging.Event{}
		for k := nodes[1].(*burst).Got; k < 3; k++ {
			want = append(want, messaging.Event{From: 0, To: 1, Message: k})
		}
		if !assert.ObjectsAreEqual(want, slices.Clone(transit)) {
			return fmt.Errorf("%v is in transit, not %v", transit, want)
		}
		return nil
	}
	bursts := func(start messaging.Start) messaging.Node { return &burst{start: start} }
	assert.NoError(t, nodetest.Run(bursts, nodetest.Config{Nodes: 2, Invariant: numbers}))
	assert.Equal(t, 4, states)
	_, err := every(bursts, explore.NodesConfig{Nodes: 2, Invariant: numbers})
	assert.NoError(t, err)
	assert.Equal(t, 8, states)
	_, err = sim.Run(sim.Config{Algorithm: bursts, Nodes: 2, Latency: sim.Uniform(0, sim.T), Invariant: numbers})
	assert.NoError(t, err)
	assert.Equal(t, 12, states)
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
	assert.ErrorContains(t, err, twice+"\nnode 0 starts\nnode 1 starts\nnode 0 crashes\nnode 0 restarts\n")
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
