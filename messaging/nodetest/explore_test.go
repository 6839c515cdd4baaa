package nodetest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

type (
	// A snoozing node polls with a timer, forever.
	snoozing struct{ arbiter }

	// A ring of circulating nodes forwards a greeting forever.
	circulating struct{ arbiter }

	// A torn node 0 enters when one of the others answers twice in a row.
	torn struct {
		arbiter

		Last messaging.ID
	}

	onTime struct{}
)

func (n *snoozing) Request(out messaging.Out) { out.After(time.Second, onTime{}) }

func (n *snoozing) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) { n.Request(out) }

func (n *torn) Request(out messaging.Out) {
	out.Send(1, hello{})
	out.Send(2, hello{})
}

func (n *torn) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch {
	case n.start.Self == 0 && n.Last < 0: // it has entered
	case n.start.Self == 0 && n.Last == from:
		n.Last = -1
		out.Enter()
	default:
		n.Last = from
		out.Send(from, m)
	}
}

func (n *torn) Release(messaging.Out) {}

func (n *circulating) Request(out messaging.Out) {
	n.arbiter.Request(out)
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), hello{})
}

func (n *circulating) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, greeted := m.(hello); greeted {
		out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), m)
		return
	}
	n.arbiter.Receive(from, m, out)
}

// CheckNodes finds every failure that Run can find, with a shortest schedule, and no other.
func TestExploreFinds(t *testing.T) {
	for _, c := range []struct {
		name string
		a    messaging.Algorithm
		e    explore.NodesConfig
		want string
	}{
		{"panics", of[startled], explore.NodesConfig{Nodes: 2}, `S1 sends nodetest_test.Request to S100: the nodes are S1 to S2
S1 asks`},
		{"withdraws badly", of[reluctant], explore.NodesConfig{Nodes: 2, Withdrawals: 1}, `S2 gives up, and panics: withdrawn
S2 asks
S2 gives up`},
		{"hands on", of[circulating], explore.NodesConfig{Nodes: 3, Requests: []int{1, 0, 0}}, `the schedule does not end
S1 asks
S1 gets REQUEST(Path:[S1]) from itself
S1 gets GRANT from itself
S1 enters
S1 leaves
S1 gets RELEASE from itself
and from here on, forever:
S2 gets HELLO from S1
S3 gets HELLO from S2
S1 gets HELLO from S3`},
		{"is bored: it answers greetings while it does not want to enter", does{
			request: func(n *changed, out messaging.Out) {
				n.Busy = true
				n.arbiter.Request(out)
				if n.start.Self == 1 {
					out.Send(0, hello{})
				}
			},
			receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
				switch _, greeted := m.(hello); {
				case !greeted:
					n.arbiter.Receive(from, m, out)
				case n.start.Self == 1 || !n.Busy:
					out.Send(from, m)
				}
			},
		}.node, explore.NodesConfig{Nodes: 2}, `the schedule does not end
S2 asks
S1 gets REQUEST(Path:[S2]) from S2
S1 gets HELLO from S2
S2 gets GRANT from S1
S2 enters
S2 leaves
S1 gets RELEASE from S2
and from here on, forever:
S2 gets HELLO from S1
S1 gets HELLO from S2`},
		{"is torn", of[torn], explore.NodesConfig{Nodes: 3, Requests: []int{1, 0, 0}}, `livelock: a request is pending, and no node ever enters
S1 asks
S2 gets HELLO from S1
S1 gets HELLO from S2
and from here on, forever:
S2 gets HELLO from S1
S3 gets HELLO from S1
S1 gets HELLO from S3
S1 gets HELLO from S2`},
		{"snoozes", of[snoozing], explore.NodesConfig{Nodes: 1}, `livelock: a request is pending, and no node ever enters
S1 asks
and from here on, forever:
S1 gets ONTIME from its timer`},
		{"is undecided", does{request: func(n *changed, out messaging.Out) {
			if out.Choose(2) == 0 {
				n.arbiter.Request(out)
			}
		}}.node, explore.NodesConfig{Nodes: 1}, `deadlock: a request is pending and no message is in transit
S1 asks
S1 draws 1 of 0 to 1`},

		// Only an impossible schedule would have a failure.
		{"one that does not ask", of[careless], explore.NodesConfig{Nodes: 2, Requests: []int{5, 0}}, ""},
		{"the grant comes some time, though greetings are exchanged while it waits", does{
			request: greet,
			receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
				switch _, greeted := m.(hello); {
				case !greeted:
					n.arbiter.Receive(from, m, out)
				case n.Asked || from+1 == n.start.Self:
					out.Send(from, hello{})
				}
			},
		}.node, explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 0}}, ""},
		{"no request is aborted", of[reluctant], explore.NodesConfig{Nodes: 2}, ""},
	} {
		_, err := every(c.a, c.e)
		if c.want == "" {
			assert.NoError(t, err, c.name)
			continue
		}
		assert.ErrorContains(t, err, c.want+"\n", "a node that %s", c.name)
		repeats(t, c.a, err)
	}
	_, err := every(of[restless], explore.NodesConfig{Nodes: 1})
	assert.Equal(t, "endless", sim.Failure(err), "a node that sends to itself forever")
}

func TestExploration(t *testing.T) {
	for _, c := range []struct {
		e    explore.NodesConfig
		want string
	}{
		{explore.NodesConfig{}, "NodesConfig.Nodes is 0: it must be 1 to 31"},
		{explore.NodesConfig{Nodes: 2, Holder: 2}, "NodesConfig.Holder is 2: the nodes are 0 to 1"},
		{explore.NodesConfig{Nodes: 2, Holder: -1}, "NodesConfig.Holder is -1"},
		{explore.NodesConfig{Nodes: 2, Requests: []int{1}}, "NodesConfig.Requests has length 1: NodesConfig.Nodes is 2"},
		{explore.NodesConfig{Nodes: 2, Requests: []int{1, -2}}, "NodesConfig.Requests[1] is -2: it must be at least 0, or Unbounded"},
		{explore.NodesConfig{Nodes: 2, Withdrawals: -1}, "NodesConfig.Withdrawals is -1"},
		{explore.NodesConfig{Nodes: 2, Crashes: -1}, "NodesConfig.Crashes is -1: it must be 0 to "},
		{explore.NodesConfig{Nodes: 2, Crashes: 1, Restarts: 2}, "NodesConfig.Restarts is 2: it must be 0 to 1, as Crashes is"},
		{explore.NodesConfig{Nodes: 2, Inputs: [][]messaging.Message{{}}}, "NodesConfig.Inputs has length 1: NodesConfig.Nodes is 2"},
		{explore.NodesConfig{Nodes: 2, Memory: -1}, "NodesConfig.Memory is -1: it must be at least 0"},
	} {
		_, err := every(of[arbiter], c.e)
		assert.ErrorContains(t, err, "explore: "+c.want)
	}
	born := func(messaging.Start) messaging.Node { panic("never born") }
	for want, a := range map[string]messaging.Algorithm{
		"the algorithm returned nil for node 0 of 1: it must return a new node each time": func(messaging.Start) messaging.Node { return nil },
		"the algorithm panicked when it was to make node 0: never born":                   born,
	} {
		_, err := every(a, explore.NodesConfig{Nodes: 1})
		assert.EqualError(t, err, want)
		assert.Equal(t, "panic", sim.Failure(err))
		assert.ErrorContains(t, nodetest.Run(a, nodetest.Config{Nodes: 1}), "seed 0: "+want)
		assert.ErrorContains(t, nodetest.Check(a, nil, nodetest.Config{Nodes: 1}), "seed 0: "+want)
	}
	_, err := every(of[mapped], explore.NodesConfig{Nodes: 1})
	assert.Equal(t, "state", sim.Failure(err))
}

// every checks every schedule, and returns what fails as an error, as Run does.
func every(a messaging.Algorithm, c explore.NodesConfig) (explore.NodesReport, error) {
	c.New = a
	r, err := explore.CheckNodes(c)
	if err != nil {
		return explore.NodesReport{}, err
	}
	return *r, r.Err()
}
