package nodetest_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// schedules have up to four nodes, ordered and unordered links, with and without
// withdrawals.
func schedules() []nodetest.Config {
	var cs []nodetest.Config
	for seed := range uint64(tier.Pick(12, 40)) {
		cs = append(cs, nodetest.Config{
			Nodes: int(1 + seed%4), Seed: seed, Unordered: seed%8 < 4, Withdraw: float64(seed%3) / 4, Steps: 5000,
		})
	}
	return cs
}

func TestCheck(t *testing.T) {
	assert.NoError(t, nodetest.Check(ricartagrawala.New, ricartagrawala.Protocol.Kinds, schedules()...))
	assert.NoError(t, nodetest.Check(of[arbiter], kinds(), schedules()...))
	assert.NoError(t, nodetest.Check(of[patient], append(kinds(), alarm{}), schedules()...))
}

// The messages of the arbiter.
type (
	Request struct{ Path []messaging.ID }
	Grant   struct{}
	Release struct{}
)

func kinds() []messaging.Message { return []messaging.Message{Request{}, Grant{}, Release{}} }

// An arbiter is a node of an algorithm in which node 0 queues all requests. Other nodes differ from it
// in one error each.
type arbiter struct {
	start messaging.Start

	Asked bool
	Queue []messaging.ID // of node 0: the node inside, then those waiting
	Notes []int
}

func (n *arbiter) born(start messaging.Start) {
	n.start, n.Notes = start, make([]int, 1)
}

// of is the Algorithm of nodes of type T.
func of[T any, N interface {
	*T
	messaging.Exclusion
	born(messaging.Start)
}](start messaging.Start) messaging.Node {
	n := N(new(T))
	n.born(start)
	return n
}

func (n *arbiter) Request(out messaging.Out) {
	n.Asked = true
	out.Send(0, Request{Path: []messaging.ID{n.start.Self}})
}

func (n *arbiter) Release(out messaging.Out) { out.Send(0, Release{}) }

func (n *arbiter) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case Request:
		if n.start.Self != 0 {
			n.refuse(from, m)
		}
		if n.Queue = append(n.Queue, from); len(n.Queue) == 1 {
			out.Send(from, Grant{})
		}
	case Grant:
		if !n.Asked || from != 0 {
			n.refuse(from, m)
		}
		n.Asked = false
		out.Enter()
	case Release:
		if len(n.Queue) == 0 || n.Queue[0] != from {
			n.refuse(from, m)
		}
		if n.Queue = n.Queue[1:]; len(n.Queue) > 0 {
			out.Send(n.Queue[0], Grant{})
		}
	default:
		n.refuse(from, m)
	}
}

func (n *arbiter) refuse(from messaging.ID, m messaging.Message) {
	messaging.Refuse("arbiter", n.start.Self, from, m, "it cannot come")
}

// A changed node is an arbiter, but for what it does instead, and has more state.
type changed struct {
	arbiter
	does *does

	Busy  bool
	Name  string
	Path  []messaging.ID
	Copy  []int
	Peers messaging.Set

	hidden int
	deep   **int
	next   func() int
}

// does is what a changed node does instead of what an arbiter does.
type does struct {
	born             func(n *changed)
	request, release func(n *changed, out messaging.Out)
	receive          func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out)
}

// node makes a changed node.
func (d does) node(start messaging.Start) messaging.Node {
	n := &changed{does: &d}
	n.born(start)
	if d.born != nil {
		d.born(n)
	}
	return n
}

func (n *changed) Request(out messaging.Out) {
	if n.does.request == nil {
		n.arbiter.Request(out)
	} else {
		n.does.request(n, out)
	}
}

func (n *changed) Release(out messaging.Out) {
	if n.does.release == nil {
		n.arbiter.Release(out)
	} else {
		n.does.release(n, out)
	}
}

func (n *changed) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if n.does.receive == nil {
		n.arbiter.Receive(from, m, out)
	} else {
		n.does.receive(n, from, m, out)
	}
}

// greet asks, and greets the next node.
func greet(n *changed, out messaging.Out) {
	n.arbiter.Request(out)
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), hello{})
}

// patient uses everything in Out: it waits for a random time before it asks, and
// emits.
type (
	patient struct{ arbiter }
	alarm   struct{}
)

func (n *patient) Request(out messaging.Out) {
	out.Emit(map[string]int{"patience": out.Choose(3)})
	out.After(time.Duration(out.Choose(5)), alarm{})
}

func (n *patient) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, rings := m.(alarm); !rings {
		n.arbiter.Receive(from, m, out)
		return
	}
	n.arbiter.Request(out)
}

// careless grants every request at once.
type careless struct{ arbiter }

func (*careless) Request(out messaging.Out) { out.Enter() }

func (*careless) Release(messaging.Out) {}

// lazy never reports its exit, so no other enters.
type lazy struct{ arbiter }

func (*lazy) Release(messaging.Out) {}

// forgotten is patient, except that node 0 does not report its exit to itself.
type forgotten struct{ patient }

func (*forgotten) Release(messaging.Out) {}

// reluctant panics in Withdraw.
type reluctant struct{ arbiter }

func (*reluctant) Withdraw(messaging.Out) { panic("withdrawn") }

// restless sends back what it gets, forever.
type restless struct{ arbiter }

func (n *restless) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, again := m.(again); again {
		out.Send(from, m)
		return
	}
	n.arbiter.Receive(from, m, out)
}

func (n *restless) Request(out messaging.Out) {
	n.arbiter.Request(out)
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), again{})
}

type again struct{}

// startled panics in Receive.
type startled struct{ arbiter }

func (n *startled) Request(out messaging.Out) { out.Send(99, Request{}) }

type hello struct{}

// mapped has a map in its state.
type mapped struct {
	arbiter
	Asking map[messaging.ID]bool
}

// immovable is not a pointer.
type immovable struct{ messaging.Exclusion }

// A failure lists messages of a node to itself and of its timer.
func TestHistory(t *testing.T) {
	alone := nodetest.Config{Nodes: 1, Seed: 1}
	for _, check := range []bool{false, true} {
		run := nodetest.Run
		if check {
			run = func(a messaging.Algorithm, c nodetest.Config) error {
				return nodetest.Check(a, append(kinds(), alarm{}), c)
			}
		}
		want := `deadlock: a request is pending and no message is in transit
S1 asks
S1 emits map[patience:0]
S1 gets ALARM from its timer
S1 gets REQUEST(Path:[S1]) from itself
S1 gets GRANT from itself
S1 enters
S1 leaves
S1 asks
S1 emits map[patience:2]
S1 gets ALARM from its timer
S1 gets REQUEST(Path:[S1]) from itself`
		if err := run(of[forgotten], alone); sim.Failure(err) != "deadlock" || !strings.Contains(err.Error(), want+"\nscenario: ") {
			t.Errorf("%v, want: %s", err, want)
		} else {
			repeats(t, of[forgotten], err)
		}
	}
}

// Run withdraws requests of a Withdrawer.
func TestRunWithdraws(t *testing.T) {
	for seed := range uint64(100) {
		err := nodetest.Run(of[reluctant], nodetest.Config{Nodes: 2, Seed: seed, Withdraw: 0.5})
		if sim.Failure(err) == "panic" && strings.Contains(err.Error(), "withdrawn") {
			return
		}
	}
	t.Error("no node has withdrawn")
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		c    nodetest.Config
		want string
	}{
		{nodetest.Config{}, "Config.Nodes is 0: it must be at least 1"},
		{nodetest.Config{Nodes: -1}, "Config.Nodes is -1"},
		{nodetest.Config{Nodes: 2, Holder: 2}, "Config.Holder is 2: the nodes are 0 to 1"},
		{nodetest.Config{Nodes: 2, Holder: -1}, "Config.Holder is -1"},
		{nodetest.Config{Nodes: 2, Entries: -1}, "Config.Entries is -1: it must be at least 0"},
		{nodetest.Config{Nodes: 2, Steps: -1}, "Config.Steps is -1: it must be at least 0"},
		{nodetest.Config{Nodes: 2, Users: []int{0, 2}}, "Config.Users[1] is 2: the nodes are 0 to 1"},
		{nodetest.Config{Nodes: 2, Users: []int{-1}}, "Config.Users[0] is -1"},
		{nodetest.Config{Nodes: 2, Withdraw: 1.5}, "Config.Withdraw is 1.5: a probability is 0 to 1"},
		{nodetest.Config{Nodes: 2, Withdraw: -0.5}, "Config.Withdraw is -0.5"},
		{nodetest.Config{Nodes: 2, Withdraw: math.NaN()}, "Config.Withdraw is NaN"},
		{nodetest.Config{Nodes: 2, Crashes: -1}, "Config.Crashes is -1: it must be at least 0"},
		{nodetest.Config{Nodes: 2, Crashes: 1, Restarts: 2}, "Config.Restarts is 2: it must be 0 to 1, as Crashes is"},
		{nodetest.Config{Nodes: 2, Inputs: [][]messaging.Message{{}}}, "Config.Inputs has length 1: Config.Nodes is 2"},
	} {
		for what, err := range map[string]error{
			"Run": nodetest.Run(of[arbiter], c.c), "Check": nodetest.Check(of[arbiter], kinds(), c.c),
		} {
			assert.ErrorContains(t, err, "nodetest: "+c.want, what)
		}
	}
}

// No Users means all: with a single user, careless nodes do not meet.
func TestUsers(t *testing.T) {
	for _, c := range []struct {
		users []int
		want  string
	}{{nil, "exclusion"}, {[]int{}, "exclusion"}, {[]int{1}, ""}} {
		err := nodetest.Run(of[careless], nodetest.Config{Nodes: 3, Users: c.users})
		assert.Equal(t, c.want, sim.Failure(err), "users %v", c.users)
		assert.Equal(t, c.want == "", err == nil, "users %v: %v", c.users, err)
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if err := nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 4, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		if err := nodetest.Check(ricartagrawala.New, ricartagrawala.Protocol.Kinds, nodetest.Config{Nodes: 4, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
