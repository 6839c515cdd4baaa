// Package reliable implements a reliable multicast to a group whose members join, leave and crash: a message that
// one live member delivers, all live members deliver, even if the sender crashes meanwhile.
//
// # Source
//
// The direct feedback of the slides of HAW Hamburg, "Zuverlässiger Multicast" and "Unmittelbare
// Rückmeldungen": the sender numbers its messages, and keeps each until all members have
// acknowledged it. How the members agree on the next view is the flush of virtual synchrony, after
// K. Birman, T. Joseph, "Exploiting virtual synchrony in distributed systems", SOSP 1987.
//
// It needs links that lose nothing and are FIFO, such as those of package [example.org/doorway/messaging/link]:
// link.Over(reliable.New(...), ...). Such links detect, request and repeat what is missing.
//
// # Messages
//
//	Data{View, Number, Stable, Body}      message Number of the sender; all members have those up to Stable
//	Ack{Number}                           the sender has delivered the receiver's messages up to Number
//	Join{}, Leave{View}                   the sender, which was in View, wants to join or to leave
//	Suspect{Node}                         Node was silent, and is taken to be down
//	Flush{View}                           deliver nothing more in the view before View; what have you?
//	Flushed{View, Messages}               the sender was in View, and not all members may have Messages
//	Install{View, Before, Messages}       deliver Messages, and then View is the view
//	Probe{}, Alive{}                      are you live? the sender is
//	Tick{}                                the timer of a node
//
// # State
//
//	View         the present view, with its number and its members; of a node that is no member, its last one
//	Number       of the last message that the node has sent
//	Last         by node, the number of its last message that was delivered
//	Kept         messages that were delivered here, and perhaps not everywhere
//	Acked        by node, the number of the last message of this node that it has acknowledged
//	Bodies       what the user wants to send, when the node is a member, and no flush
//	Early        messages of the next view
//	Joins, Crashed   the nodes that want to join, and those that are taken to be down
//	Leaves       by node, the view in which it wanted to leave; 0: it does not want to, or has left
//	Asked, By    the view about which a node was asked last, and the coordinator that asks; Asked is 0 if it is over
//	Later, LaterBy     the same of a view after the next
//	Answered, Union    of the coordinator, who has answered, and what these have kept
//	Installed    the last Install
//	Copies       of a node that joins, by node, the Install that it has sent
//	Ticking, Silent   a timer runs; by node, the ticks that it was silent for
//
// # Algorithm
//
// A sender delivers its message at once and sends it to all members. These deliver it on arrival, keep it and
// acknowledge it. When all have acknowledged it, the next message of the sender says so, and it is no longer kept.
//
// The members are in view 1 at first: all nodes. The live member with the smallest number is the coordinator. If a
// node wants to join or leave, or has crashed, the coordinator asks all members what they have kept. Until the
// next view they deliver nothing and send nothing. When all live members have answered, it sends them all that any
// of them has kept, and the next view. Nodes that left with the present view are asked, too, so that none is more
// than one view behind.
//
// If the coordinator crashes, the next member asks again. A node that is not yet in the next view answers, and
// from then on takes no view from the old coordinator. A node that is in the next view says so, and that view
// becomes the next one of all. If it is the next member itself, it tells all others. So all live nodes enter the
// same view.
//
// A node that joins enters a view when each live member of the view before has told it of that view, also a member
// that left with it. If it relied on the coordinator alone, the others might never hear of that view, and a node
// that left might have decided on another.
//
// # Properties
//
// Under a perfect detector of crashes ([messaging.Survivor]): virtual synchrony ([multicast.Synchronous]). Any
// number of nodes may crash, also in the middle of sending to all. A node that has crashed or was removed cannot
// join again. A group that all live nodes have left is over. A message that only crashed nodes have delivered need
// not be delivered by others: the agreement is not uniform.
//
// With N members, a message takes 2(N-1) messages: N-1 Data and N-1 Acks. If its sender crashes before all have
// acknowledged it, it is sent again, with the next view, to those that may lack it. An eager relay by each node
// that gets it would need no views, but take (N-1)² messages each time. A view change takes 3(N-1) messages at
// most. In addition, a node that left with the present view is asked, each member tells a node that joins, and a
// node that joins or leaves tells all nodes.
//
// A node that restarts does not answer, and is removed as a crashed one is.
//
// Without a detector, a member removes a node that it awaits and that does not answer for a number of ticks, and
// tells the other members. It awaits nodes that have not acknowledged a message or answered the coordinator, the
// coordinator while a view is due, and nodes that want to join or to leave. A node that joins awaits those that
// have told it or must still tell it of its view. If a tick is longer than a round trip and both handlers, no live
// node is removed, and all come to rest. Otherwise a live node may be removed. Then it learns that it is no longer
// a member, or has removed the others itself, and there are two groups. A link that repeats messages to a crashed
// node never comes to rest, unless a detector tells it.
package reliable

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// The messages, as above.
type (
	data struct {
		View, Number, Stable int
		Body                 string
	}

	ack     struct{ Number int }
	join    struct{}
	leave   struct{ View int }
	suspect struct{ Node messaging.ID }
	flush   struct{ View int }

	flushed struct {
		View     int
		Messages []multicast.Delivered
	}

	// A node that joins delivers what is sent in View only. Before are the members of the view before.
	install struct {
		View     multicast.View
		Before   []messaging.ID
		Messages []multicast.Delivered
	}

	probe struct{}
	alive struct{}
	tick  struct{}
)

// Protocol is the algorithm with timers for a cluster.Cluster, for hosts that are told which one to
// run. The last kind is the timer.
var Protocol = messaging.Protocol{
	Name: "reliable",
	New:  func(int) (messaging.Algorithm, error) { return New(time.Second, 3), nil },
	Kinds: []messaging.Message{
		multicast.Send{}, multicast.Join{}, multicast.Leave{}, data{}, ack{}, join{}, leave{}, suspect{}, flush{}, flushed{}, install{}, probe{}, alive{}, tick{},
	},
	FIFO:    true,
	Results: multicast.Synchronous,
}

// New returns the algorithm. A member that is awaited, and silent for so many ticks, is removed; if tick is
// 0, none is but those that the host says have crashed. New panics if tick is negative, or positive
// and ticks is less than 2: only after the first is it asked.
func New(tick time.Duration, ticks int) messaging.Algorithm {
	if tick < 0 || tick > 0 && ticks < 2 {
		panic(fmt.Sprintf("reliable: New(%v, %d): want 0 or a positive tick, and then at least 2 ticks", tick, ticks))
	}
	return func(start messaging.Start) messaging.Node {
		return &node{
			start: start, tick: tick, ticks: ticks,
			Last: make([]int, start.Nodes), Acked: make([]int, start.Nodes), Silent: make([]int, start.Nodes),
			Leaves: make([]int, start.Nodes), Copies: make([]install, start.Nodes),
		}
	}
}

type node struct {
	start messaging.Start
	tick  time.Duration
	ticks int

	View   multicast.View
	Number int
	Last   []int
	Kept   []multicast.Delivered
	Acked  []int
	Bodies []string
	Early  []early

	Joins, Crashed messaging.Set
	Leaves         []int

	Asked     int
	By        messaging.ID
	Later     int
	LaterBy   messaging.ID
	Answered  messaging.Set
	Union     []multicast.Delivered
	Installed install
	Copies    []install

	Ticking bool
	Silent  []int
}

// An early message has arrived from a node that is in a later view.
type early struct {
	From messaging.ID
	Data data
}

// Start begins view 1, of all nodes. A node that starts again is no member.
func (n *node) Start(out messaging.Out) {
	if n.start.Restarted {
		return
	}
	n.View.Number = 1
	for j := range messaging.ID(n.start.Nodes) {
		n.View.Members = append(n.View.Members, j)
	}
	out.Emit(n.View)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("reliable", n.start.Self, from, m, why)
	}
	n.Silent[from] = 0
	switch m := m.(type) {
	case multicast.Send:
		n.Bodies = append(n.Bodies, m.Body)
		n.sendBodies(out)
	case data:
		n.data(from, m, out)
	case ack:
		n.Acked[from] = max(n.Acked[from], m.Number)
		n.forget(n.start.Self, n.stable())
	case multicast.Join, multicast.Leave, join, leave:
		n.wish(from, m, out)
	case suspect:
		n.crashed(m.Node, out)
	case flush:
		n.flush(from, m.View, out)
	case flushed:
		n.flushed(from, m, out)
	case install:
		n.consider(from, m, out)
	case probe:
		if !n.start.Restarted { // else it has forgotten what it owes the group, and would be awaited forever
			out.Send(from, alive{})
		}
	case tick:
		n.ticked(out)
	}
	n.proceed(out)
}

// Down takes a node to be down, for good.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	n.crashed(peer, out)
	n.proceed(out)
}

// sendBodies sends what the user wants to send, unless the node is no member or about to go into another view.
func (n *node) sendBodies(out messaging.Out) {
	if !n.member(n.start.Self) || n.Asked != 0 {
		return
	}
	for _, body := range n.Bodies {
		n.Number++
		out.Emit(multicast.Sent{Number: n.Number, Body: body})
		n.broadcast(data{n.View.Number, n.Number, n.stable(), body}, out)
		n.deliver(multicast.Delivered{From: n.start.Self, Number: n.Number, Body: body}, out)
	}
	n.Bodies = nil
	n.forget(n.start.Self, n.stable())
}

// data handles a message to the group.
func (n *node) data(from messaging.ID, m data, out messaging.Out) {
	switch {
	case m.View > n.View.Number:
		n.Early = append(n.Early, early{from, m})
	case m.View == n.View.Number && n.Asked == 0:
		n.deliver(multicast.Delivered{From: from, Number: m.Number, Body: m.Body}, out)
		n.forget(from, m.Stable)
		out.Send(from, ack{m.Number})
	}
}

// deliver delivers a message, and keeps it.
func (n *node) deliver(d multicast.Delivered, out messaging.Out) {
	n.Last[d.From] = d.Number
	n.Kept = append(n.Kept, d)
	out.Emit(d)
}

// stable returns the number of the last message of this node that all members have acknowledged.
func (n *node) stable() int {
	stable := n.Number
	for _, j := range n.View.Members {
		if j != n.start.Self {
			stable = min(stable, n.Acked[j])
		}
	}
	return stable
}

// forget keeps the messages of a node up to that number no longer.
func (n *node) forget(from messaging.ID, stable int) {
	n.Kept = slices.DeleteFunc(n.Kept, func(d multicast.Delivered) bool { return d.From == from && d.Number <= stable })
}

// member reports whether j is in the present view.
func (n *node) member(j messaging.ID) bool { return slices.Contains(n.View.Members, j) }

// broadcast sends m to the other members.
func (n *node) broadcast(m messaging.Message, out messaging.Out) {
	for _, j := range n.View.Members {
		if j != n.start.Self {
			out.Send(j, m)
		}
	}
}
