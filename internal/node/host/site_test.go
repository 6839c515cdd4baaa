package host_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/hybrid/hierarchy"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/topology"
)

// script is a node whose behavior a test defines.
type script struct {
	request, release func(messaging.Out)
	receive          func(messaging.ID, messaging.Message, messaging.Out)
}

func (s script) Request(out messaging.Out) { call(s.request, out) }
func (s script) Release(out messaging.Out) { call(s.release, out) }
func (s script) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	s.receive(from, m, out)
}

func call(f func(messaging.Out), out messaging.Out) {
	if f != nil {
		f(out)
	}
}

func site(s script) *host.Site {
	return host.NewSite(func(messaging.Start) messaging.Node { return s }, messaging.Start{Self: 1, Nodes: 3}, nil)
}

func TestSiteOrder(t *testing.T) {
	s := host.NewSite(ricartagrawala.New, messaging.Start{Nodes: 1}, nil)
	assert.PanicsWithValue(t, "messaging: release of node 0, which is idle", s.Release)
	assert.PanicsWithValue(t, "messaging: withdrawal of node 0, which is idle", s.Withdraw)
	s.Request()
	assert.Equal(t, messaging.Inside, s.Phase(), "the only node")
	assert.PanicsWithValue(t, "messaging: request of node 0, which is inside", s.Request)
	assert.PanicsWithValue(t, "messaging: withdrawal of node 0, which is inside", s.Withdraw)
	s.Release()
	assert.Equal(t, messaging.Idle, s.Phase(), "after leaving")
	for want, start := range map[string]messaging.Start{
		"messaging: node 0 of 0: the nodes are 0 to -1": {},
		"messaging: node 2 of 2: the nodes are 0 to 1":  {Self: 2, Nodes: 2},
		"messaging: node -1 of 2: the nodes are 0 to 1": {Self: -1, Nodes: 2},
	} {
		assert.PanicsWithValue(t, want, func() { host.NewSite(ricartagrawala.New, start, nil) })
	}
}

// A message of a node to itself waits until the handler has returned, and is not a
// Send.
func TestSiteOwnMessages(t *testing.T) {
	var order []string
	s := site(script{
		request: func(out messaging.Out) {
			out.Send(1, "a")
			out.Send(1, "b")
			out.Send(2, "other")
			order = append(order, "request")
		},
		receive: func(from messaging.ID, m messaging.Message, out messaging.Out) {
			assert.Equal(t, messaging.ID(1), from, "where a message to oneself comes from")
			if m == "a" {
				out.Send(1, "c")
			}
			if m == "c" {
				out.Enter()
			}
			order = append(order, m.(string))
		},
	})
	s.Request()
	assert.Equal(t, []string{"request", "a", "b", "c"}, order)
	assert.Equal(t, []host.Send{{To: 2, Message: "other"}}, s.Sends)
	assert.Equal(t, messaging.Inside, s.Phase())
	s.Done()
	assert.Empty(t, s.Sends, "Done leaves something to do")
}

// A node that sends to itself forever panics, also in a layer, which delivers these messages.
func TestEndless(t *testing.T) {
	p := messaging.Protocol{Kinds: []messaging.Message{""}, New: func(int) (messaging.Algorithm, error) {
		return func(start messaging.Start) messaging.Node {
			again := func(out messaging.Out) { out.Send(start.Self, "again") }
			return script{request: again, receive: func(_ messaging.ID, _ messaging.Message, out messaging.Out) { again(out) }}
		}, nil
	}}
	alone, err := p.New(2)
	require.NoError(t, err)
	levels, err := hierarchy.New([][]messaging.ID{{0, 1}}, p, p, 0)
	require.NoError(t, err)
	for name, a := range map[string]messaging.Algorithm{
		"alone": alone, "link": link.Over(alone, link.Config{Timeout: time.Second}), "recovery": recovery.Over(p, recovery.Config{}),
		"snapshot": snapshot.Over(alone, topology.Complete(2)), "hierarchy": levels,
	} {
		const want = "messaging: node 1 has sent more than 10000 messages to itself in one event"
		assert.PanicsWithError(t, want, host.NewSite(a, messaging.Start{Self: 1, Nodes: 2}, nil).Request, name)
	}
}

func TestSiteAbsorbs(t *testing.T) {
	left := 0
	s := site(script{
		receive: func(_ messaging.ID, _ messaging.Message, out messaging.Out) { out.Enter() },
		release: func(messaging.Out) { left++ },
	})
	s.Request()
	s.Withdraw()
	require.Equal(t, messaging.Absorbing, s.Phase())
	s.Receive(0, "go")
	assert.Equal(t, messaging.Idle, s.Phase())
	assert.Equal(t, 1, left, "times that it has left")
	s.Request()
	s.Withdraw()
	s.Request() // resumes the absorbed request
	s.Receive(0, "go")
	assert.Equal(t, messaging.Inside, s.Phase())
	assert.Equal(t, 1, left, "times that it has left")
}

func TestSiteRefuses(t *testing.T) {
	s := site(script{receive: func(_ messaging.ID, m messaging.Message, out messaging.Out) {
		switch m {
		case "enter":
			out.Enter()
		case "send":
			out.Send(3, "x")
		case "after":
			out.After(-time.Second, "x")
		case "choose":
			out.Choose(0)
		}
	}})
	assert.PanicsWithValue(t, "messaging: node 1 got string from node 3: the nodes are 0 to 2", func() { s.Receive(3, "x") })
	assert.PanicsWithValue(t, "messaging: node 1 got string from node -1: the nodes are 0 to 2", func() { s.Receive(-1, "x") })
	assert.PanicsWithValue(t, "messaging: node 1 enters, but it is idle: a node enters once per request", func() { s.Receive(0, "enter") })
	assert.PanicsWithValue(t, "messaging: node 1 sends string to node 3: the nodes are 0 to 2", func() { s.Receive(0, "send") })
	assert.PanicsWithValue(t, "messaging: node 1 sets a timer of -1s: a duration must not be negative", func() { s.Receive(0, "after") })
	assert.PanicsWithValue(t, "messaging: node 1 chooses among 0: there must be at least 1", func() { s.Receive(0, "choose") })
	assert.PanicsWithError(t, "ricartagrawala: node 0 got string x from node 1: it is not a message of this algorithm", func() {
		host.NewSite(ricartagrawala.New, messaging.Start{Nodes: 2}, nil).Receive(1, "x")
	})
}

// A message arrives as over a network: what is empty is nil, and no memory is shared.
func TestSiteCopies(t *testing.T) {
	type inner struct{ Of []int }
	type envelope struct{ Message messaging.Message }
	type letter struct {
		Empty, Spare []int
		Rows         [][]string
		Pointer      *inner
		Enclosed     messaging.Message
		Set          messaging.Set
		Array        [1]inner
	}
	set := messaging.SetOf(1, 100)
	set.Remove(100)
	sent := letter{[]int{}, make([]int, 1, 9), [][]string{{"a"}, {}}, &inner{[]int{1}}, inner{[]int{2}}, set, [1]inner{{[]int{3}}}}
	want := letter{nil, []int{0}, [][]string{{"a"}, nil}, &inner{[]int{1}}, inner{[]int{2}}, messaging.SetOf(1), [1]inner{{[]int{3}}}}
	overwrite := func(l letter) {
		l.Rows[0][0], l.Pointer.Of, l.Enclosed.(inner).Of[0], l.Set[0], l.Array[0].Of[0] = "b", nil, 8, 0, 8
	}
	s := site(script{request: func(out messaging.Out) {
		out.Send(0, sent)
		out.After(1, sent)
		out.Send(1, sent)
		out.Emit(sent)
		overwrite(sent)
	}, receive: func(_ messaging.ID, m messaging.Message, _ messaging.Out) {
		switch m := m.(type) {
		case letter:
			assert.Equal(t, want, m)
			assert.Equal(t, 1, cap(m.Spare))
			overwrite(m)
		case *letter:
			assert.Same(t, &sent, m)
		case envelope:
			m.Message.(inner).Of[0] = 8
		}
	}})
	s.Request()
	for _, m := range []any{s.Sends[0].Message, s.Timers[0].Message, s.Emits[0]} {
		assert.Equal(t, want, m)
		s.Receive(0, m)
		assert.Equal(t, want, m, "what was received is another copy")
	}
	enclosed := inner{[]int{2}}
	s.Receive(0, envelope{enclosed})
	assert.Equal(t, inner{[]int{2}}, enclosed, "what else is in a message may refer to no memory")
	for _, m := range []messaging.Message{nil, 7, &sent, struct{ m messaging.Message }{enclosed}, struct{ F func() }{}, struct{ M map[int]int }{map[int]int{}}} {
		s.Receive(0, m) // is passed on as it is
	}
}
