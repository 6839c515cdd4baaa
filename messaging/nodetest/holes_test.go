package nodetest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// A node that breaks a rule is refused by Check, by CheckNodes, or by both; a node that is right
// and resembles one of them is not. Some deceive a check which runs each handler once more in a
// copied state, or only in copied states.
func TestCheckFinds(t *testing.T) {
	type holes = []struct {
		name           string
		a              func() messaging.Algorithm
		kinds          []messaging.Message
		check, explore string // the failures
		says           string // by one of them
	}
	notes := make([]int, 1) // of all nodes
	is := func(a messaging.Algorithm) func() messaging.Algorithm {
		return func() messaging.Algorithm { return a }
	}
	// requests is an arbiter that does something before it requests.
	requests := func(before func(*changed, messaging.Out)) func() messaging.Algorithm {
		return is(does{request: func(n *changed, out messaging.Out) {
			before(n, out)
			n.arbiter.Request(out)
		}}.node)
	}
	// sends is likewise, and ignores what is enclosed.
	sends := func(before func(*changed, messaging.Out)) func() messaging.Algorithm {
		return is(does{request: func(n *changed, out messaging.Out) {
			before(n, out)
			n.arbiter.Request(out)
		}, receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			switch m.(type) {
			case envelope, *Request, nil:
			default:
				n.arbiter.Receive(from, m, out)
			}
		}}.node)
	}
	reads := func(n *changed, out messaging.Out) {
		n.Asked = true
		if n.Path == nil {
			n.Path = []messaging.ID{n.start.Self}
		}
		out.Send(0, Request{n.Path})
	}
	// receives is an arbiter that does something before it handles a message.
	receives := func(before func(*changed, messaging.ID, messaging.Message, messaging.Out)) func() messaging.Algorithm {
		return is(does{receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			before(n, from, m, out)
			n.arbiter.Receive(from, m, out)
		}}.node)
	}
	// later is an arbiter that does something in its first request, and sees in a later exit
	// what has come of it.
	later := func(first func(*changed), sees func(*changed) bool) func() messaging.Algorithm {
		return is(does{request: func(n *changed, out messaging.Out) {
			if !n.Busy {
				first(n)
			}
			n.Busy = true
			n.arbiter.Request(out)
		}, release: func(n *changed, out messaging.Out) {
			if n.Name += "x"; n.Name == "xx" && sees(n) {
				n.Name = "seen"
			}
			n.arbiter.Release(out)
		}}.node)
	}
	for _, c := range (holes{
		{"violates mutual exclusion", is(of[careless]), kinds(), "exclusion", "exclusion", "S1 enters"},
		{"deadlocks", is(of[lazy]), kinds(), "deadlock", "deadlock", "asks"},
		{"sends to itself forever", is(of[restless]), append(kinds(), again{}), "endless", "endless", "more than 10000 messages to itself in one event"},
		{"panics", is(of[startled]), kinds(), "panic", "panic", "to S100: the nodes are S1 to S1"},
		{"draws lots", requests(func(n *changed, _ messaging.Out) {
			n.Notes[0] = rand.IntN(1 << 30)
		}), kinds(), "nondeterministic", "nondeterministic", "Request of S1 led to Asked: true, Queue: [], Notes: ["},
		{"shares its state", is(does{
			born: func(n *changed) { n.Notes = notes },
			request: func(n *changed, out messaging.Out) {
				n.Notes[0]++
				n.arbiter.Request(out)
			},
		}.node), kinds(), "shared", "shared", "and is now Asked: false, Queue: [], Notes: ["},
		{"right: changes a message that it got", receives(func(_ *changed, _ messaging.ID, m messaging.Message, _ messaging.Out) {
			if m, ok := m.(Request); ok && len(m.Path) > 0 {
				m.Path[0]++
			}
		}), kinds(), "", "", ""},
		{"changes before it refuses", receives(func(n *changed, _ messaging.ID, _ messaging.Message, _ messaging.Out) {
			n.Notes[0]++
		}), kinds(), "refusal", "", "got a message of an unknown kind from S1, changed its state to"},
		{"sends before it refuses", receives(func(n *changed, _ messaging.ID, m messaging.Message, out messaging.Out) {
			if _, r := m.(Release); r && n.start.Self != 0 {
				out.Send(0, Grant{})
			}
		}), kinds(), "refusal", "", "got a zero nodetest_test.Release from S2, did send Grant{} to S1, and then panicked with: arbiter: S2 got"},
		{"refuses nothing", is(does{receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			switch m.(type) {
			case Request, Grant, Release:
				n.arbiter.Receive(from, m, out)
			}
		}}.node), kinds(), "refusal", "", "S1 accepted a message of an unknown kind: Receive"},
		{"enters unasked", receives(func(n *changed, _ messaging.ID, m messaging.Message, _ messaging.Out) {
			n.Asked = n.Asked || m == any(Grant{})
		}), kinds(), "refusal", "", "got a zero nodetest_test.Grant from S1 and entered"},
		{"has a map", is(of[mapped]), kinds(), "state", "state", "mapped.Asking is a map"},
		{"is not a pointer", is(func(s messaging.Start) messaging.Node {
			return immovable{of[arbiter](s).(messaging.Exclusion)}
		}), kinds(), "state", "state", "not a pointer"},
		{"sends what is not listed", is(of[arbiter]), kinds()[:2], "kind", "", "a nodetest_test.Release is not one of the messages"},
		{"lists a kind twice", is(of[arbiter]), append(kinds(), kinds()[0]), "kind", "", "occurs twice"},
		{"lists what is not plain", is(of[arbiter]), append(kinds(), struct{ M map[int]int }{}), "kind", "", "is a map"},
		{"does not send what is listed", is(of[arbiter]), append(kinds(), again{}, hello{}), "unsent", "", "nodetest_test.again, nodetest_test.hello"},
		{"right: reads a constant map and calls a constant function", is(of[guided]), kinds(), "", "", ""},
		{"right: sends a slice of its state and never writes it", is(does{request: reads}.node), kinds(), "", "", ""},
		{"right: recovers from a panic of its own", requests(func(n *changed, _ messaging.Out) {
			defer func() { n.Busy = recover() != nil }()
			var none []int
			none[n.start.Self] = 1
		}), kinds(), "", "", ""},
		{"right: has a string that is not text", requests(func(n *changed, _ messaging.Out) {
			n.Name = "\xff\n\x00" + n.Name[:len(n.Name)/2]
		}), kinds(), "", "", ""},
		{"shares flags by a closure", newShared, []messaging.Message{wake{}}, "nondeterministic", "nondeterministic", "Request of S2 did nothing, but enter in an equal state"},
		{"counts in a pointer to a pointer", is(does{born: func(n *changed) {
			calls := new(int)
			n.deep = &calls
		}, request: func(n *changed, out messaging.Out) {
			**n.deep++
			n.arbiter.Request(out)
		}}.node), kinds(), "unexported", "unexported", "deep of S1 was &&0, but is &&1 after Request"},
		{"reads the state of the others", newPeeping, kinds(), "unexported", "state", "all of S1 was"},
		{"is made once", func() messaging.Algorithm {
			made := map[messaging.ID]messaging.Node{}
			return func(start messaging.Start) messaging.Node {
				if made[start.Self] == nil {
					made[start.Self] = of[arbiter](start)
				}
				return made[start.Self]
			}
		}, kinds(), "shared", "shared", "the algorithm has returned node 0 twice: it must return a new node each time"},
		{"is the first that is made", func() messaging.Algorithm {
			made := 0
			return does{born: func(n *changed) { made++; n.hidden = 1 / made }}.node
		}, kinds(), "nondeterministic", "nondeterministic", "the algorithm has made node 0 with the field hidden as 1, and with 0 from the same start"},
		{"replaces a node within it", is(of[moody]), kinds(), "state", "state", "Mood of S1 was a *nodetest_test.calm, but is a *nodetest_test.wild after Request: a node within a node keeps its type"},
		{"drops a node within it", is(of[mindless]), kinds(), "state", "state", "Mood of S1 was a *nodetest_test.calm, but is nil after Request: a node within a node keeps its type"},
		{"recovers when what it sends is refused", is(does{request: func(n *changed, out messaging.Out) {
			defer func() { _ = recover() }()
			n.arbiter.Request(out)
			out.Send(0, secret{})
		}, receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			if m != any(secret{}) {
				n.arbiter.Receive(from, m, out)
			}
		}}.node), kinds(), "kind", "", "Release]\nS1 asks"},
		{"encloses a pointer", sends(func(_ *changed, out messaging.Out) { out.Send(0, envelope{&contents{1}}) }), append(kinds(), envelope{}), "kind", "kind", "a message is a *nodetest_test.contents: a pointer would share it with its sender"},
		{"sends a node", sends(func(_ *changed, out messaging.Out) { out.Send(0, visit{&calm{}}) }), append(kinds(), visit{}), "kind", "kind", "nodetest_test.visit.Of is a messaging.Node: a message must not contain a node"},
		{"sends nothing to itself", sends(func(n *changed, out messaging.Out) { out.Send(n.start.Self, nil) }), kinds(), "kind", "kind", "nil is neither a node nor a message"},
		{"sends a pointer", sends(func(_ *changed, out messaging.Out) { out.Send(0, &Request{}) }), kinds(), "kind", "kind", "a message is a *nodetest_test.Request"},
		{"right: changes a message in the next event", is(does{request: reads, receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			n.arbiter.Receive(from, m, out)
			if _, granted := m.(Grant); granted {
				n.Path[0] = 7
			}
		}}.node), kinds(), "", "", ""},
		{"has two fields that share memory, which a copy of it does not", is(does{request: func(n *changed, out messaging.Out) {
			n.Copy = n.Notes
			n.arbiter.Request(out)
		}, release: func(n *changed, out messaging.Out) {
			n.Notes[0] = 1
			n.arbiter.Release(out)
		}}.node), kinds(), "nondeterministic", "nondeterministic", "Copy: [1]"},
		{"tells an empty slice from nil, some events later", later(func(n *changed) { n.Path = []messaging.ID{} }, func(n *changed) bool { return n.Path != nil }), kinds(), "nondeterministic", "nondeterministic", "but if in that state Path is empty but not nil, after S"},
		{"tells a set that was larger", later(func(n *changed) {
			n.Peers.Add(100)
			n.Peers.Remove(100)
		}, func(n *changed) bool { return len(n.Peers) > 1 }), kinds(), "nondeterministic", "nondeterministic", "Peers has 2 words more than it needs"},
		{"tells spare capacity", later(func(n *changed) { n.Path = make([]messaging.ID, 1, 5) }, func(n *changed) bool { return cap(n.Path) > 3 }), kinds(), "nondeterministic", "nondeterministic", "Path has room for 4 more"},
		{"reads what a slice has held", later(func(n *changed) { n.Path = []messaging.ID{1, 2}[:1] }, func(n *changed) bool { return cap(n.Path) > 1 && n.Path[:2][1] == 2 }), kinds(), "nondeterministic", "nondeterministic", "Path has room for 1 more, where there was [2] before"},
		{"has two fields that share memory, some events later", later(func(n *changed) { n.Copy = n.Notes }, func(n *changed) bool {
			n.Notes[0]++
			shared := n.Copy[0] == n.Notes[0]
			n.Notes[0]--
			return shared
		}), kinds(), "nondeterministic", "nondeterministic", "Copy shares the memory of Notes, from 0 on"},
		{"counts behind the length of a slice", is(does{born: func(n *changed) {
			n.Path = make([]messaging.ID, 0, 1)
		}, receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			if n.Path[:1][0]++; n.Path[:1][0] == 5 {
				n.Notes[0] = 1
			}
			n.arbiter.Receive(from, m, out)
		}}.node), kinds(), "nondeterministic", "nondeterministic", "it did fail: S1 gets REQUEST(Path:[S1]) from itself, and panics: runtime error: slice bounds out of range [:1] with capacity 0, but if in that state Path is empty but not nil, Path has room for 1 more, enter"},
		{"right: appends to a slice with spare capacity", later(func(n *changed) { n.Path = make([]messaging.ID, 0, 5) }, func(n *changed) bool {
			n.Path = append(n.Path, 1)
			return false
		}), kinds(), "", "", ""},
		{"has a constant that refers to its state", is(does{born: func(n *changed) {
			first := &n.Notes[0]
			n.next = nil
			n.deep = &first
		}}.node), kinds(), "", "state", "the field deep of node 0, which is unexported, refers to its state"},
		{"right: emits what it changes later", requests(func(n *changed, out messaging.Out) {
			out.Emit(n.Notes)
			n.Notes[0] = 1 - n.Notes[0]
		}), kinds(), "", "", ""},
		// The field has its first value again when CheckNodes has run both results of the choice.
		{"toggles a hidden field", is(does{request: func(n *changed, out messaging.Out) {
			out.Choose(2)
			n.hidden = 1 - n.hidden
			n.arbiter.Request(out)
		}, receive: func(n *changed, from messaging.ID, m messaging.Message, out messaging.Out) {
			n.arbiter.Receive(from, m, out)
			if n.hidden == 1 && n.start.Self == 1 {
				n.Notes[0] = 1
			}
		}}.node), kinds(), "unexported", "unexported", "hidden of S1 was 0, but is 1 after S1 asks"},
		{"excludes others until it has been inside", is(of[fickle]), kinds(), "excludes", "excludes", "that of S2 for S1 was true and is now false"},
		{"survives crashes until it has been inside", is(of[passing]), kinds(), "optional", "optional", "S1 was {Exclusion:true Sharer:false Survivor:true Epocher:false} and is now"},
		{"excludes one that does not exclude it", is(of[partial]), kinds(), "excludes", "excludes", "but that of S2 for S1 is false"},
		{"draws from an urn that changes", func() messaging.Algorithm {
			calls := 0
			return does{request: func(n *changed, out messaging.Out) {
				calls++
				out.Choose(2 + calls%2)
				n.arbiter.Request(out)
			}}.node
		}, kinds(), "nondeterministic", "nondeterministic", "a node chose among 3, and from an equal state among 2"},
		{"draws until it likes the number", requests(func(n *changed, out messaging.Out) {
			for out.Choose(2) == 0 {
				n.Notes[0] = 0
			}
		}), kinds(), "", "endless", "draws more than 1000 numbers in one event: CheckNodes tries no more"},
		{"draws a ticket", requests(func(n *changed, out messaging.Out) {
			n.Notes[0] = out.Choose(1 << 30)
		}), kinds(), "", "", "have more than 10000 results: CheckNodes tries each"},
	}) {
		checked := nodetest.Check(c.a(), c.kinds, schedules()...)
		assert.Equal(t, c.check, sim.Failure(checked), "Check of a node that %s: %v", c.name, checked)
		_, explored := every(c.a(), explore.NodesConfig{Nodes: 2, Requests: []int{2, 2}, Unordered: true})
		assert.Equal(t, c.explore, sim.Failure(explored), "CheckNodes of a node that %s: %v", c.name, explored)
		if c.says == "" {
			assert.True(t, checked == nil && explored == nil, "a node is %s: %v, %v", c.name, checked, explored)
			continue
		}
		assert.Contains(t, fmt.Sprintf("%v\n%v", checked, explored), c.says, "a node that %s", c.name)
	}
}

// A node never handles a request twice in the same state, and changes its behavior between two requests,
// so only a repetition when the schedule is over differs.
func TestCheckRepeats(t *testing.T) {
	for old, want := range map[bool]string{true: "nondeterministic", false: ""} {
		calls := 0
		aging := does{born: func(n *changed) {
			n.next = func() int { calls++; return calls }
		}, request: func(n *changed, out messaging.Out) {
			n.Path = append(n.Path, 0)
			if n.next() > 6 && old {
				out.Emit("old")
			}
			n.arbiter.Request(out)
		}}.node
		err := nodetest.Check(aging, kinds(), nodetest.Config{Nodes: 1, Entries: 6})
		assert.Equal(t, want, sim.Failure(err), "%v", err)
	}
}

type guided struct {
	arbiter
	to   map[messaging.ID]messaging.ID
	boss func(messaging.ID) messaging.ID
}

func (n *guided) born(start messaging.Start) {
	n.arbiter.born(start)
	n.to = map[messaging.ID]messaging.ID{start.Self: 0}
	n.boss = func(i messaging.ID) messaging.ID { return n.to[i] }
}

func (n *guided) Request(out messaging.Out) {
	n.Asked = true
	out.Send(n.boss(n.start.Self), Request{})
}

// A wake tells that a node has left.
type wake struct{}

// A shared node excludes others by flags that all nodes share. No two handlers of its own
// ever see a difference: what it writes in one, it writes again in a copy.
type shared struct {
	start messaging.Start
	flags func() []bool // of all nodes
	Asked bool
}

func newShared() messaging.Algorithm {
	flags := make([]bool, 8)
	return func(start messaging.Start) messaging.Node {
		return &shared{start: start, flags: func() []bool { return flags }}
	}
}

func (n *shared) Request(out messaging.Out) {
	n.Asked = true
	for j, inside := range n.flags() {
		if inside && j != int(n.start.Self) {
			return
		}
	}
	n.flags()[n.start.Self], n.Asked = true, false
	out.Enter()
}

func (n *shared) Release(out messaging.Out) {
	n.flags()[n.start.Self] = false
	for j := range n.start.Others() {
		out.Send(j, wake{})
	}
}

func (n *shared) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m != any(wake{}) {
		messaging.Refuse("shared", n.start.Self, from, m, "it cannot come")
	}
	if n.Asked {
		n.Request(out)
	}
}

// peeping nodes know each other.
type peeping struct {
	arbiter
	all []*peeping
}

func newPeeping() messaging.Algorithm {
	all := make([]*peeping, 4)
	return func(start messaging.Start) messaging.Node {
		n := &peeping{all: all}
		n.born(start)
		if all[start.Self] == nil {
			all[start.Self] = n
		}
		return n
	}
}

// moody has an inner node of one of two types, which have the same fields.
type (
	moody struct {
		arbiter
		Mood messaging.Node
	}
	calm struct{}
	wild struct{}
)

func (*calm) Receive(messaging.ID, messaging.Message, messaging.Out) {}
func (*wild) Receive(messaging.ID, messaging.Message, messaging.Out) {}

func (n *moody) born(start messaging.Start) {
	n.arbiter.born(start)
	n.Mood = &calm{}
}

func (n *moody) Request(out messaging.Out) {
	if _, ok := n.Mood.(*wild); ok {
		out.Choose(2)
	}
	n.Mood = &wild{}
	n.arbiter.Request(out)
}

type mindless struct{ moody }

func (n *mindless) Request(out messaging.Out) {
	n.Mood = nil
	n.arbiter.Request(out)
}

type secret struct{}

type (
	envelope struct{ Message messaging.Message }
	contents struct{ N int }
	visit    struct{ Of messaging.Node }
)

type fickle struct {
	arbiter
	Been bool
}

func (n *fickle) Excludes(messaging.ID) bool { return !n.Been }

func (n *fickle) Release(out messaging.Out) {
	n.Been = true
	n.arbiter.Release(out)
}

type passing struct{ fickle }

func (n *passing) Down(messaging.ID, messaging.Out) {}
func (n *passing) Can(kind any) bool {
	switch kind.(type) {
	case *messaging.Survivor:
		return !n.Been
	case *messaging.Sharer:
		return false
	}
	return true
}

type partial struct{ arbiter }

func (n *partial) Excludes(messaging.ID) bool { return n.start.Self != 1 }
