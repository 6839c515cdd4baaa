package view_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

// A node is that of a process in its epoch.
type node struct {
	Epoch uint64 // 0: there is none
	State string // encoded
	Phase messaging.Phase
	Count uint64 // the clock of entries
}

// A letter is a message of a node in transit: a link keeps the order, and loses nothing.
type letter struct {
	Epoch    uint64
	From, To int8 // slots
	Count    uint64
	Data     string
}

// An outlet collects what a handler does.
type outlet struct {
	self    messaging.ID
	own     []messaging.Message
	sends   []host.Send
	entered bool
}

func (o *outlet) Send(to messaging.ID, m messaging.Message) {
	if to == o.self {
		o.own = append(o.own, m)
	} else {
		o.sends = append(o.sends, host.Send{To: to, Message: m})
	}
}

func (o *outlet) Enter()                               { o.entered = true }
func (*outlet) After(time.Duration, messaging.Message) { panic("a timer") }
func (*outlet) Choose(int) int                         { return 0 }
func (*outlet) Emit(any)                               {}

// act has the node of process i handle what f does, and all that follows from it.
func (w *world) act(i int, f func(n messaging.Exclusion, out messaging.Out)) {
	p := &w.Procs[i]
	m := &p.M
	n := w.c.algorithms[len(m.Record.Members)](messaging.Start{Self: messaging.ID(m.Rank), Nodes: len(m.Record.Members)}).(messaging.Exclusion)
	if p.Node.State != "" {
		if err := state.Restore(n, []byte(p.Node.State)); err != nil {
			panic(err)
		}
	}
	out := outlet{self: messaging.ID(m.Rank)}
	f(n, &out)
	for len(out.own) > 0 || out.entered {
		if out.entered {
			out.entered = false
			w.admit(i, n, &out)
			continue
		}
		next := out.own[0]
		out.own = out.own[1:]
		n.Receive(out.self, next, &out)
	}
	p.Node.State = string(state.Append(nil, n))
	for _, s := range out.sends {
		to := slotOf(m.Record.Members[s.To].ID)
		w.Air = append(slices.Clip(w.Air), letter{p.Node.Epoch, int8(i), int8(to), p.Node.Count, string(w.c.codec.Append(nil, s.Message))})
	}
}

// admit lets in the user of process i, or leaves for it.
func (w *world) admit(i int, n messaging.Exclusion, out *outlet) {
	p := &w.Procs[i]
	if !p.Waiting || !p.M.Enter(0) {
		p.Waiting, p.Node.Phase = false, messaging.Idle // it gives up, or it would ask forever
		n.Release(out)
		return
	}
	p.Waiting, p.Node.Phase = false, messaging.Inside
	p.Node.Count++
	e := w.eraOf(i)
	w.Back = w.Back || e.Epoch < w.Top && !w.c.wild || p.Node.Count <= uint64(e.Last)
	w.Top, e.Last = max(w.Top, e.Epoch), uint8(p.Node.Count)
}

// settle drops the node of an epoch that is over, makes one in an epoch that has started, and asks
// for a user that waits.
func (w *world) settle(i int) {
	p := &w.Procs[i]
	if p.Node.Epoch != 0 && (p.M.Rank < 0 || p.Node.Epoch != p.M.Record.Epoch) {
		p.Node = node{}
	}
	if !p.M.Started {
		return
	}
	p.Node.Epoch = p.M.Record.Epoch
	if p.Waiting && p.Node.Phase == messaging.Idle {
		p.Node.Phase = messaging.Waiting
		w.act(i, func(n messaging.Exclusion, out messaging.Out) { n.Request(out) })
	}
}

// nodes has the user of process i ask, and its node get the first message of each link.
func (x *mover) nodes(i int) {
	w, p := x.w, &x.w.Procs[i]
	if p.Wants > 0 && !p.Waiting && !p.M.Inside && !p.M.Leaving && !w.Calm {
		x.on(x.may, wants, i, func(to *world, _ *view.Member) {
			q := &to.Procs[i]
			q.Wants--
			q.Waiting = true
			to.step(i)
		})
	}
	var seen [slots]bool
	for k, l := range w.Air {
		if int(l.To) != i || seen[l.From] || l.Epoch != p.M.Record.Epoch {
			continue
		}
		seen[l.From] = true
		to := x.copied()
		to.Air = slices.Concat(w.Air[:k], w.Air[k+1:])
		if to.deliver(i, l) {
			x.do(x.will, fmt.Sprintf("%s gets a message of %s", names[i], names[l.From]), to)
		}
	}
}

// deliver gives a message to the node of process i, which starts at the latest with it.
func (w *world) deliver(i int, l letter) bool {
	p := &w.Procs[i]
	from := p.M.Record.Rank(names[l.From])
	if !p.M.Hear(l.Epoch, l.Epoch, from, true) {
		return false
	}
	w.step(i)
	if !p.M.Started {
		return false
	}
	m, err := w.c.codec.Decode([]byte(l.Data))
	if err != nil {
		panic(err)
	}
	p.Node.Count = max(p.Node.Count, l.Count)
	w.act(i, func(n messaging.Exclusion, out messaging.Out) { n.Receive(messaging.ID(from), m, out) })
	w.step(i)
	return true
}

// node writes the node of a process, and what its user wants.
func (p *packer) node(q *process) {
	p.b = append(p.b, q.Wants, flag(q.Waiting), p.epoch(q.Node.Epoch), byte(q.Node.Phase), byte(q.Node.Count))
	p.text(q.Node.State)
}

func (p *packer) text(s string) {
	p.b = append(append(p.b, byte(len(s))), s...)
}

func (u *unpacker) node(q *process) {
	q.Wants, q.Waiting = u.next(), u.next() == 1
	q.Node = node{uint64(u.next()), "", messaging.Phase(u.next()), uint64(u.next())}
	q.Node.State = u.text()
}

func (u *unpacker) text() string {
	n := u.next()
	s := u.b[:n]
	u.b = u.b[n:]
	return string(s)
}

// air writes the messages that can still arrive, by link.
func (p *packer) air() {
	w := p.w
	all := slices.DeleteFunc(slices.Clone(w.Air), func(l letter) bool {
		q := &w.Procs[l.To]
		return !q.Up || l.Epoch != q.M.Record.Epoch && (l.Epoch != w.Store.Epoch || w.Store.Rank(names[l.To]) < 0)
	})
	slices.SortStableFunc(all, func(a, b letter) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	p.b = append(p.b, byte(len(all)))
	for _, l := range all {
		p.b = append(p.b, p.epoch(l.Epoch), byte(l.From), byte(l.To), byte(l.Count))
		p.text(l.Data)
	}
}

func (u *unpacker) air() {
	for range u.next() {
		u.w.Air = append(u.w.Air, letter{uint64(u.next()), int8(u.next()), int8(u.next()), uint64(u.next()), u.text()})
	}
}

// withNodes returns a model with the nodes of a protocol.
func (c model) withNodes(t *testing.T, p catalog.Protocol) *model {
	t.Helper()
	c.name += ", " + p.Name
	c.algorithms = append(c.algorithms, nil)
	for n := range slots {
		c.algorithms = append(c.algorithms, p.New(n+1))
	}
	var err error
	c.codec, err = wire.New(p.Declared)
	require.NoError(t, err)
	return &c
}

// few are protocols of both classes.
var few = []string{"central", "ricartagrawala", "naimitrehel"}

// withEach returns a model with the nodes of each protocol that needs no clock, or of those that are named.
func withEach(t *testing.T, c model, named ...string) (all []*model) {
	t.Helper()
	for _, p := range catalog.Protocols {
		if len(named) > 0 && !slices.Contains(named, p.Name) {
			continue
		}
		if p.Excludes(1) == nil && !p.Perpetual && p.Timed == nil {
			all = append(all, c.withNodes(t, p))
		}
	}
	return all
}

// With the nodes of the catalog in place of the adversary, no impossible message arrives either, and tokens grow.
func TestNodes(t *testing.T) {
	explored(t, withEach(t, nodes, few...))
}

var (
	nodes = model{name: "two", lease: 1, members: 2, asks: 1, atomic: true}
	wild  = model{name: "wild", lease: 1, members: 2, asks: 1, atomic: true, wild: true}
)

// No two entries have the same token, whatever clocks do: a resource that refuses smaller ones is safe. In
// an epoch they grow.
func TestTokens(t *testing.T) {
	explored(t, withEach(t, wild, few...))
}

// With swaps that fail, a crash and leases of three ticks; and each waiting user enters, once all is in time.
func TestNodesInTime(t *testing.T) {
	tier.NeedsFull(t, "visits a million states")
	explored(t, withEach(t, model{name: "two", lease: 3, members: 2, asks: 1, faults: 1, atomic: true, calm: true}))
}
