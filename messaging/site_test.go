package messaging_test

import (
	"slices"
	"testing"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/ricartagrawala"
)

// script is a node that does what a test wants.
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

func site(s script) *messaging.Site {
	return messaging.NewSite(func(messaging.Start) messaging.Exclusion { return s }, messaging.Start{Self: 1, Nodes: 3}, nil)
}

func TestSiteOrder(t *testing.T) {
	s := messaging.NewSite(ricartagrawala.New, messaging.Start{Nodes: 1}, nil)
	panics(t, "release of node 0, which is idle", s.Release)
	panics(t, "withdrawal of node 0, which is idle", s.Withdraw)
	s.Request()
	if s.Phase() != messaging.Inside {
		t.Errorf("the only node is %v", s.Phase())
	}
	panics(t, "request of node 0, which is inside", s.Request)
	panics(t, "withdrawal of node 0, which is inside", s.Withdraw)
	s.Release()
	if s.Phase() != messaging.Idle {
		t.Errorf("after leaving it is %v", s.Phase())
	}
	for _, start := range []messaging.Start{{}, {Self: 2, Nodes: 2}, {Self: -1, Nodes: 2}} {
		panics(t, "the nodes are 0 to", func() { messaging.NewSite(ricartagrawala.New, start, nil) })
	}
}

// A message to oneself waits until the handler is over, and is no message.
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
			if from != 1 {
				t.Errorf("a message to oneself comes from %d", from)
			}
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
	if want := []string{"request", "a", "b", "c"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	if want := []messaging.Send{{To: 2, Message: "other"}}; !slices.Equal(s.Sends, want) || s.Phase() != messaging.Inside {
		t.Errorf("sends %v, want %v; it is %v", s.Sends, want, s.Phase())
	}
	s.Done()
	if len(s.Sends) != 0 {
		t.Error("Done leaves something to do")
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
	if s.Phase() != messaging.Absorbing {
		t.Fatalf("it is %v", s.Phase())
	}
	s.Receive(0, "go")
	if s.Phase() != messaging.Idle || left != 1 {
		t.Errorf("it is %v, and has left %d times", s.Phase(), left)
	}
	s.Request()
	s.Withdraw()
	s.Request() // takes up the one that is absorbed
	s.Receive(0, "go")
	if s.Phase() != messaging.Inside || left != 1 {
		t.Errorf("it is %v, and has left %d times", s.Phase(), left)
	}
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
	panics(t, "node 1 got string from node 3: the nodes are 0 to 2", func() { s.Receive(3, "x") })
	panics(t, "node 1 got string from node -1: the nodes are 0 to 2", func() { s.Receive(-1, "x") })
	panics(t, "node 1 enters, but it is idle", func() { s.Receive(0, "enter") })
	panics(t, "node 1 sends string to node 3: the nodes are 0 to 2", func() { s.Receive(0, "send") })
	panics(t, "node 1 sets a timer of -1s", func() { s.Receive(0, "after") })
	panics(t, "node 1 chooses among 0: it needs at least 1", func() { s.Receive(0, "choose") })
	panics(t, "ricartagrawala: node 0 got string x from node 1: it is no message of this algorithm", func() {
		messaging.NewSite(ricartagrawala.New, messaging.Start{Nodes: 2}, nil).Receive(1, "x")
	})
}
