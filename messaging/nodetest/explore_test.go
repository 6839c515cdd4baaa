package nodetest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

func TestExplore(t *testing.T) {
	for _, c := range []struct {
		a messaging.Algorithm
		e nodetest.Exploration
	}{
		{of[arbiter], nodetest.Exploration{Nodes: 3, Requests: []int{2, 2, 2}}},
		{of[arbiter], nodetest.Exploration{Nodes: 3, Withdrawals: 2}},
		{of[patient], nodetest.Exploration{Nodes: 2, Withdrawals: 1}},
		{ricartagrawala.New, nodetest.Exploration{Nodes: 3, Withdrawals: 2, Unordered: true}},
		{ricartagrawala.New, nodetest.Exploration{Nodes: 1, Requests: []int{5}}},
		{ricartagrawala.New, nodetest.Exploration{Nodes: 4, Requests: []int{0, 0, 0, 0}}},
	} {
		done, err := nodetest.Explore(c.a, c.e)
		assert.NoError(t, err, "%+v", c.e)
		assert.True(t, done.Complete && done.Ends > 0, "%+v: %+v", c.e, done)
	}
}

type (
	// A gambling node asks the arbiter, unless it draws the last of three.
	gambling struct{ arbiter }

	// A late node asks when a timer has expired that was set after another one; if
	// the other expired first, it would fail.
	late struct{ arbiter }

	// A deaf node gets its grant in two messages, which must arrive in order.
	deaf struct {
		arbiter

		Heard bool
	}

	// An anxious node exchanges greetings with the next one while it waits.
	anxious struct{ arbiter }

	// An undecided node sets a timer that may or may not be useful.
	undecided struct{ late }

	// A snoozing node polls with a timer, forever.
	snoozing struct{ arbiter }

	// A ring of circulating nodes forwards a greeting forever.
	circulating struct{ arbiter }

	// A bored node answers greetings while it does not want to enter.
	bored struct {
		arbiter

		Busy bool
	}

	// A torn node 0 enters when one of the others answers twice in a row.
	torn struct {
		arbiter

		Last messaging.ID
	}

	// A hesitant node tosses a coin repeatedly before it asks.
	hesitant struct{ arbiter }

	tooEarly struct{}
	onTime   struct{}
	listen   struct{}
)

func (n *gambling) Request(out messaging.Out) {
	if out.Choose(2) == 1 && out.Choose(3) == 2 {
		n.Asked = true
		return
	}
	n.arbiter.Request(out)
}

func (n *late) Request(out messaging.Out) {
	out.After(2*time.Second, tooEarly{})
	out.After(time.Second, onTime{})
}

func (n *late) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case onTime:
		n.arbiter.Request(out)
	case tooEarly:
		if n.Asked {
			panic("too early")
		}
	default:
		n.arbiter.Receive(from, m, out)
	}
}

func (n *deaf) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case Request:
		out.Send(from, listen{})
		n.arbiter.Receive(from, m, out)
	case listen:
		n.Heard = true
	case Grant:
		if !n.Heard {
			return
		}
		n.Heard = false
		n.arbiter.Receive(from, m, out)
	default:
		n.arbiter.Receive(from, m, out)
	}
}

func (n *anxious) Request(out messaging.Out) {
	n.arbiter.Request(out)
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), hello{})
}

func (n *anxious) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch _, greeted := m.(hello); {
	case !greeted:
		n.arbiter.Receive(from, m, out)
	case n.Asked || from+1 == n.start.Self:
		out.Send(from, hello{})
	}
}

func (n *undecided) Request(out messaging.Out) {
	if out.Choose(2) == 0 {
		out.After(time.Second, onTime{})
	} else {
		out.After(time.Second, tooEarly{})
	}
}

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

func (n *hesitant) Request(out messaging.Out) {
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), hello{})
}

func (n *hesitant) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch _, greeted := m.(hello); {
	case !greeted:
		n.arbiter.Receive(from, m, out)
	case out.Choose(2) == 0:
		out.Send(from, m)
	case n.start.Self == 1:
		n.arbiter.Request(out)
	default:
		out.Send(from, m)
	}
}

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

func (n *bored) Request(out messaging.Out) {
	n.Busy = true
	n.arbiter.Request(out)
	if n.start.Self == 1 {
		out.Send(0, hello{})
	}
}

func (n *bored) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch _, greeted := m.(hello); {
	case !greeted:
		n.arbiter.Receive(from, m, out)
	case n.start.Self == 1 || !n.Busy:
		out.Send(from, m)
	}
}

// Explore finds every failure that Run can find, with a shortest schedule.
func TestExploreFinds(t *testing.T) {
	for _, c := range []struct {
		name string
		a    messaging.Algorithm
		e    nodetest.Exploration
		want string
	}{
		{"violates mutual exclusion", of[careless], nodetest.Exploration{Nodes: 3}, `two nodes are inside: 0 and 1
node 0 requests
node 0 is inside
node 1 requests
node 1 is inside`},
		{"never tells", of[lazy], nodetest.Exploration{Nodes: 2}, `deadlock: a request is pending and no message is in transit
node 0 requests
node 0 gets Request{Path: [0]} from itself
node 0 gets Grant{} from itself
node 0 is inside
node 0 leaves
node 1 requests
node 0 gets Request{Path: [1]} from 1`},
		{"panics", of[startled], nodetest.Exploration{Nodes: 2}, `a node panicked: messaging: node 0 sends nodetest_test.Request to node 99: the nodes are 0 to 1
node 0 requests`},
		{"withdraws badly", of[reluctant], nodetest.Exploration{Nodes: 2, Withdrawals: 1}, `a node panicked: withdrawn
node 1 requests
node 1 gives up`},
		{"sends back", of[restless], nodetest.Exploration{Nodes: 3, Requests: []int{0, 1, 0}}, `the schedule does not end
node 1 requests
node 0 gets Request{Path: [1]} from 1
node 1 gets Grant{} from 0
node 1 is inside
node 1 leaves
node 0 gets Release{} from 1
and from here on, forever:
node 2 gets again{} from 1
node 1 gets again{} from 2`},
		{"hands on", of[circulating], nodetest.Exploration{Nodes: 3, Requests: []int{1, 0, 0}}, `the schedule does not end
node 0 requests
node 0 gets Request{Path: [0]} from itself
node 0 gets Grant{} from itself
node 0 is inside
node 0 leaves
node 0 gets Release{} from itself
and from here on, forever:
node 1 gets hello{} from 0
node 2 gets hello{} from 1
node 0 gets hello{} from 2`},
		{"is bored", of[bored], nodetest.Exploration{Nodes: 2}, `the schedule does not end
node 1 requests
node 0 gets Request{Path: [1]} from 1
node 0 gets hello{} from 1
node 1 gets Grant{} from 0
node 1 is inside
node 1 leaves
node 0 gets Release{} from 1
and from here on, forever:
node 1 gets hello{} from 0
node 0 gets hello{} from 1`},
		{"is torn", of[torn], nodetest.Exploration{Nodes: 3, Requests: []int{1, 0, 0}}, `the schedule does not end
node 0 requests
node 1 gets hello{} from 0
node 0 gets hello{} from 1
and from here on, forever:
node 1 gets hello{} from 0
node 2 gets hello{} from 0
node 0 gets hello{} from 2
node 0 gets hello{} from 1`},
		{"snoozes", of[snoozing], nodetest.Exploration{Nodes: 1}, `the schedule does not end
node 0 requests
and from here on, forever:
node 0 gets onTime{} from its timer`},
		{"is undecided", of[undecided], nodetest.Exploration{Nodes: 1}, `deadlock: a request is pending and no message is in transit
node 0 requests
node 0 draws 1 of 0 to 1
node 0 gets tooEarly{} from its timer`},
		{"draws badly", of[gambling], nodetest.Exploration{Nodes: 2, Requests: []int{0, 1}}, `deadlock: a request is pending and no message is in transit
node 1 requests
node 1 draws 1 of 0 to 1
node 1 draws 2 of 0 to 2`},
		{"does not hear", of[deaf], nodetest.Exploration{Nodes: 2, Requests: []int{0, 1}, Unordered: true}, `deadlock: a request is pending and no message is in transit
node 1 requests
node 0 gets Request{Path: [1]} from 1
node 1 gets Grant{} from 0
node 1 gets listen{} from 0`},
	} {
		_, err := nodetest.Explore(c.a, c.e)
		history, _, _ := strings.Cut(err.Error(), "\nscenario: ")
		assert.Equal(t, c.want, history, "a node that %s", c.name)
		repeats(t, c.a, err)
	}
	_, err := nodetest.Explore(of[restless], nodetest.Exploration{Nodes: 1})
	assert.Equal(t, "endless", nodetest.Failure(err), "a node that sends to itself forever")
}

// Explore reports no failure that only an impossible schedule would have.
func TestExploreFindsNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		a    messaging.Algorithm
		e    nodetest.Exploration
	}{
		{"one that does not ask", of[careless], nodetest.Exploration{Nodes: 2, Requests: []int{5, 0}}},
		{"links are FIFO", of[deaf], nodetest.Exploration{Nodes: 2, Requests: []int{0, 2}}},
		{"timers expire in order, and not while messages are in transit", of[late], nodetest.Exploration{Nodes: 2, Requests: []int{0, 1}}},
		{"the grant comes some time", of[anxious], nodetest.Exploration{Nodes: 3, Requests: []int{0, 1, 0}}},
		{"a coin does not fall on one side forever", of[hesitant], nodetest.Exploration{Nodes: 2, Requests: []int{0, 1}}},
		{"no request is aborted", of[reluctant], nodetest.Exploration{Nodes: 2}},
	} {
		done, err := nodetest.Explore(c.a, c.e)
		assert.NoError(t, err, c.name)
		assert.True(t, done.Complete, "%s: %+v", c.name, done)
	}
}

// An exploration that reaches its limit is not complete.
func TestExploreLimit(t *testing.T) {
	e := nodetest.Exploration{Nodes: 3}
	all, err := nodetest.Explore(ricartagrawala.New, e)
	require.NoError(t, err)
	require.True(t, all.Complete, "%+v", all)
	for _, c := range []struct {
		limit, states int
		complete      bool
	}{{1, 1, false}, {all.States - 1, all.States - 1, false}, {all.States, all.States, true}, {0, all.States, true}} {
		e.Limit = c.limit
		done, err := nodetest.Explore(ricartagrawala.New, e)
		assert.NoError(t, err, "limit %d", c.limit)
		assert.Equal(t, c.states, done.States, "limit %d: %+v of %+v", c.limit, done, all)
		assert.Equal(t, c.complete, done.Complete, "limit %d: %+v of %+v", c.limit, done, all)
	}
}

func TestExploration(t *testing.T) {
	for _, c := range []struct {
		e    nodetest.Exploration
		want string
	}{
		{nodetest.Exploration{}, "Exploration.Nodes is 0: it must be at least 1"},
		{nodetest.Exploration{Nodes: 2, Holder: 2}, "Exploration.Holder is 2: the nodes are 0 to 1"},
		{nodetest.Exploration{Nodes: 2, Holder: -1}, "Exploration.Holder is -1"},
		{nodetest.Exploration{Nodes: 2, Requests: []int{1}}, "Exploration.Requests has 1 nodes: there are 2"},
		{nodetest.Exploration{Nodes: 2, Requests: []int{1, -1}}, "Exploration.Requests[1] is -1: it must be at least 0"},
		{nodetest.Exploration{Nodes: 2, Withdrawals: -1}, "Exploration.Withdrawals is -1"},
		{nodetest.Exploration{Nodes: 2, Limit: -1}, "Exploration.Limit is -1"},
	} {
		_, err := nodetest.Explore(of[arbiter], c.e)
		assert.ErrorContains(t, err, "nodetest: "+c.want)
	}
	born := func(messaging.Start) messaging.Node { panic("never born") }
	for want, a := range map[string]messaging.Algorithm{"state": of[mapped], "panic": born} {
		_, err := nodetest.Explore(a, nodetest.Exploration{Nodes: 1})
		assert.Equal(t, want, nodetest.Failure(err))
	}
}

// The rules of a lecture, in which a node is not told that it is no longer first in
// a queue (Reiser 2002, slides 5.15 to 5.17): this is a shortest deadlock.
func ExampleExplore() {
	for _, name := range []string{"maekawa/late-failed", "maekawa"} {
		a, err := catalog.Scenario(sim.Setting{Algorithm: name, Nodes: 3, Request: [][]messaging.ID{{0, 1, 2}, {1, 2}, {2}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		done, err := nodetest.Explore(a, nodetest.Exploration{Nodes: 3})
		history, _, _ := strings.Cut(fmt.Sprint(err), "\nscenario: ")
		fmt.Println(done.Complete, history)
	}
	// Output:
	// false deadlock: a request is pending and no message is in transit
	// node 0 requests
	// node 0 gets Request{Of: (1, 0)} from itself
	// node 0 gets Locked{To: (1, 0)} from itself
	// node 1 requests
	// node 1 gets Request{Of: (1, 1)} from itself
	// node 1 gets Locked{To: (1, 1)} from itself
	// node 1 gets Request{Of: (1, 0)} from 0
	// node 1 gets Inquire{To: (1, 1)} from itself
	// node 2 requests
	// node 2 gets Request{Of: (1, 2)} from itself
	// node 2 gets Locked{To: (1, 2)} from itself
	// node 2 is inside
	// node 2 gets Request{Of: (1, 1)} from 1
	// node 2 gets Inquire{To: (1, 2)} from itself
	// node 2 gets Request{Of: (1, 0)} from 0
	// node 2 leaves
	// node 2 gets Release{Of: (1, 2)} from itself
	// node 0 gets Locked{To: (1, 0)} from 2
	// true <nil>
}

// The number of states visited per second.
func BenchmarkExplore(b *testing.B) {
	states := 0
	for b.Loop() {
		done, err := nodetest.Explore(ricartagrawala.New, nodetest.Exploration{Nodes: 3, Requests: []int{3, 3, 3}})
		if err != nil || !done.Complete {
			b.Fatal(done, err)
		}
		states += done.States
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
}
