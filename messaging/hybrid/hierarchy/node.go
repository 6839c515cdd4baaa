package hierarchy

import (
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

type node struct {
	start    messaging.Start
	clusters [][]messaging.ID
	places   []place
	most     int // hand-overs in a row

	Phase  messaging.Phase
	Number uint64
	Within messaging.Node
	Among  messaging.Node

	Cluster       messaging.Phase
	Asked, Served []uint64
	Owner, Next   messaging.ID
	Handovers     int
}

func newNode(start messaging.Start, clusters [][]messaging.ID, places []place, most int, below []messaging.Algorithm, above messaging.Algorithm) messaging.Node {
	at, holder := places[start.Self], places[start.Holder]
	n := &node{start: start, clusters: clusters, places: places, most: most, Owner: none, Next: none}
	size := len(clusters[at.cluster])
	within := messaging.Start{Self: at.position, Nodes: size, Restarted: start.Restarted}
	if holder.cluster == at.cluster {
		within.Holder = holder.position
	}
	n.Within = below[at.cluster](within)
	if at.position == 0 {
		n.Asked, n.Served = make([]uint64, size), make([]uint64, size)
		n.Among = above(messaging.Start{
			Self: messaging.ID(at.cluster), Nodes: len(clusters), Holder: messaging.ID(holder.cluster), Restarted: start.Restarted,
		})
	}
	_, first := messaging.As[messaging.Starter](n.Within)
	second := false
	if n.Among != nil {
		_, second = messaging.As[messaging.Starter](n.Among)
	}
	if first || second {
		return &starting{*n}
	}
	return n
}

// none is no node.
const none messaging.ID = -1

// starting is a node of which a level acts when the run begins.
type starting struct{ node }

func (n *starting) Start(out messaging.Out) {
	for _, l := range []*level{n.level(out, false), n.level(out, true)} {
		if starter, ok := messaging.As[messaging.Starter](l.inner); ok {
			starter.Start(l)
			l.settle()
		}
	}
}

// inner returns the node, also of one that is starting.
func (n *node) inner() *node { return n }

func (n *node) Request(out messaging.Out) {
	n.Phase = messaging.Waiting
	n.Number++
	out.Send(n.representative(), wish{n.Number})
	n.level(out, false).request()
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	out.Send(n.representative(), done{n.Number})
	n.level(out, false).release()
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("hierarchy", n.start.Self, from, m, why)
	}
	at := n.places[from]
	switch m := m.(type) {
	case wish:
		n.Asked[at.position] = max(n.Asked[at.position], m.Number)
	case own:
		n.Asked[at.position] = max(n.Asked[at.position], m.Number)
		if n.Owner != none {
			n.Next = at.position
			break
		}
		n.Owner = at.position
		n.serve(out)
	case grant:
		n.Phase = messaging.Inside
		out.Enter()
	case done:
		n.Served[at.position], n.Owner = m.Number, none
		if n.Handovers == n.most || !n.wished() {
			n.Cluster = messaging.Idle
			n.level(out, true).release()
		}
		if n.Next != none {
			n.Owner, n.Next = n.Next, none
			n.serve(out)
		}
	case timer:
		n.level(out, m.Among).receive(n.number(m.Among), m.Message)
	default:
		if at.cluster == n.place().cluster {
			n.level(out, false).receive(at.position, m)
		} else {
			n.level(out, true).receive(messaging.ID(at.cluster), m)
		}
	}
}

// serve lets the owner of the cluster's lock enter as soon as the cluster has the lock
// among the clusters.
func (n *node) serve(out messaging.Out) {
	if n.Cluster == messaging.Inside {
		n.Handovers++
		n.grant(out)
		return
	}
	n.Cluster = messaging.Waiting
	n.level(out, true).request()
}

func (n *node) grant(out messaging.Out) {
	out.Send(n.clusters[n.place().cluster][n.Owner], grant{n.Asked[n.Owner]})
}

// wished reports whether a member has a request that is not over.
func (n *node) wished() bool {
	for j, asked := range n.Asked {
		if asked > n.Served[j] {
			return true
		}
	}
	return false
}

func (n *node) place() place { return n.places[n.start.Self] }

func (n *node) representative() messaging.ID { return n.clusters[n.place().cluster][0] }

// number returns the number of this node in a level.
func (n *node) number(among bool) messaging.ID {
	if among {
		return messaging.ID(n.place().cluster)
	}
	return n.place().position
}

// A level hosts the node of one of the two algorithms: it is its Out.
type level struct {
	*node
	messaging.Out
	among bool
	inner messaging.Node
	own   layer.Loopback // of that node
}

func (n *node) level(out messaging.Out, among bool) *level {
	l := &level{node: n, Out: out, among: among, inner: n.Within}
	if among {
		l.inner = n.Among
	}
	return l
}

func (l *level) request() {
	l.inner.(messaging.Exclusion).Request(l)
	l.settle()
}

func (l *level) release() {
	l.inner.(messaging.Exclusion).Release(l)
	l.settle()
}

func (l *level) receive(from messaging.ID, m messaging.Message) {
	l.inner.Receive(from, m, l)
	l.settle()
}

func (l *level) settle() {
	l.own.Deliver(func(m messaging.Message) { l.inner.Receive(l.number(l.among), m, l) })
}

// global returns the node with that number at this level.
func (l *level) global(i messaging.ID) messaging.ID {
	if l.among {
		return l.clusters[i][0]
	}
	return l.clusters[l.place().cluster][i]
}

func (l *level) Send(to messaging.ID, m messaging.Message) {
	if to == l.number(l.among) {
		l.own.Send(int(l.start.Self), m)
		return
	}
	l.Out.Send(l.global(to), m)
}

// Enter follows the request of a member or of its cluster.
func (l *level) Enter() {
	if l.among {
		l.Cluster, l.Handovers = messaging.Inside, 0
		l.grant(l.Out)
		return
	}
	l.Out.Send(l.representative(), own{l.Number})
}

func (l *level) After(d time.Duration, m messaging.Message) { l.Out.After(d, timer{l.among, m}) }

func (l *level) Emit(v any) {
	if removed, ok := v.(messaging.Removed); ok {
		v = messaging.Removed{Node: l.global(removed.Node)}
	}
	l.Out.Emit(v)
}
