package recovery

import (
	"fmt"

	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// The rules that Broken leaves out, each of which somebody may think is not needed.
const (
	WhileInside   = "an epoch begins while a node is inside"
	OlderMessages = "messages of earlier epochs are taken"
	NoFreeze      = "a node that has answered goes on in its epoch"
	Majority      = "an epoch begins when most of those have answered that are left"
	LiveAgain     = "a node that counts as crashed counts as live again by any message"
	Disagreement  = "nodes need not agree on who has crashed"
	NoneKept      = "an epoch begins though no member has kept its number"
	NotDurable    = "a promise is not durable"
	StatusOnly    = "a node is silent that answers by another message than a Status"
	SilentOnce    = "those that count as crashed are not asked once more"
)

// Broken returns the algorithm of p with recovery without a rule.
func Broken(p messaging.Protocol, c Config, rule string) messaging.Algorithm {
	good := Over(p, c)
	return func(start messaging.Start) messaging.Node {
		return &broken{Methods: wrap.Methods{Node: good(start)}, restarted: start.Restarted, rule: rule}
	}
}

// A broken node holds a good one.
type broken struct {
	wrap.Methods
	rule      string
	restarted bool
	Next      uint64 // the epoch to which it goes from the one in which it has answered; 0: none
}

func (b *broken) good() *node { return b.Node.(*node) }

func (b *broken) Start(out messaging.Out) {
	if b.rule == NotDurable && b.restarted {
		b.good().Promised = 0
	}
	b.good().Start(out)
}

func (b *broken) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := b.good()
	switch b.rule {
	case WhileInside, NoneKept:
		m = b.without(m)
	case OlderMessages:
		m = n.asOfPresent(from, m)
	case LiveAgain:
		n.Crashed[from] = 0
	case NoFreeze:
		if b.goesOn(from, m, out) {
			return
		}
	}
	awaited := n.Awaited.Has(from)
	n.Receive(from, m, out)
	if _, is := m.(Status); b.rule == StatusOnly && awaited && !is && n.Regenerates != 0 {
		n.Awaited.Add(from)
	}
	b.after(out)
}

// after does what a good node does not after it has handled an event.
func (b *broken) after(out messaging.Out) {
	n := b.good()
	defer n.end(n.begin(out))
	switch b.rule {
	case Majority:
		n.beginIfMajority()
	case Disagreement:
		n.beginIfAllAnswered()
	case SilentOnce:
		if n.Regenerates != 0 {
			n.beginIfAll(true)
		}
	}
}

// without returns a message without what the rule needs.
func (b *broken) without(m messaging.Message) messaging.Message {
	if s, ok := m.(Status); ok {
		s.Inside = s.Inside && b.rule != WhileInside
		s.Kept = s.Kept || b.rule == NoneKept
		return s
	}
	return m
}

// asOfPresent returns a message of an earlier epoch as one of the present.
func (n *node) asOfPresent(from messaging.ID, m messaging.Message) messaging.Message {
	epoch, of := unwrapped(m)
	if of == nil || !n.active() || epoch >= n.Present || from == n.start.Self || n.strange(from, n.Present, of) != "" {
		return m
	}
	return Within{n.Present, of}
}

// goesOn answers a Freeze and takes part in the present epoch until the next begins. It reports
// whether m is handled.
func (b *broken) goesOn(from messaging.ID, m messaging.Message, out messaging.Out) bool {
	n := b.good()
	switch m := m.(type) {
	case Freeze:
		if !n.active() || m.Epoch <= max(n.Promised, b.Next) || m.To != n.Incarnation || n.Crashed[from] != 0 {
			return false
		}
		b.Next, n.Reports = m.Epoch, 0
		b.report(out)
		return true
	case Begin:
		b.goTo(m.Epoch)
	case Within:
		b.goTo(m.Epoch)
	}
	return false
}

// goTo goes to an epoch that begins.
func (b *broken) goTo(epoch uint64) {
	if n := b.good(); epoch == b.Next && epoch > n.Promised {
		n.promise(epoch)
		n.Answered = true
	}
}

func (b *broken) report(out messaging.Out) {
	n := b.good()
	n.Reports++
	out.Send(n.regenerator(b.Next), Status{
		Epoch: b.Next, Number: n.Reports, Inside: n.Phase == messaging.Inside, Waiting: n.Phase == messaging.Waiting, Kept: n.Kept, Crashed: n.crashed(),
	})
}

func (b *broken) Release(out messaging.Out) {
	b.good().Release(out)
	if b.Next > b.good().Promised {
		b.report(out)
	}
}

func (b *broken) Down(peer messaging.ID, out messaging.Out) {
	b.good().Down(peer, out)
	if b.Next > b.good().Promised {
		b.report(out)
	}
	b.after(out)
}

// beginIfMajority takes those that have not answered for nodes that would have denied.
func (n *node) beginIfMajority() {
	if n.Regenerates == 0 {
		return
	}
	answers := 0
	for _, a := range n.Answers {
		if a.Epoch == n.Regenerates && !a.Inside {
			answers++
		}
	}
	if left := n.start.Nodes - n.crashed().Len(); answers <= left/2 {
		return
	}
	for j := range n.Answers {
		if n.Crashed[j] == 0 && n.Answers[j].Epoch == 0 {
			n.Answers[j] = Status{Epoch: n.Regenerates, Kept: true, Crashed: n.crashed()}
		}
	}
	n.beginIfAll(n.agreed())
}

// beginIfAllAnswered takes each answer for one of who counts the same nodes as crashed.
func (n *node) beginIfAllAnswered() {
	if n.Regenerates == 0 {
		return
	}
	for j := range n.Answers {
		if n.Answers[j].Epoch == n.Regenerates {
			n.Answers[j].Crashed = n.crashed()
		}
	}
	n.beginIfAll(n.agreed())
}

// OneLive is the rule that all nodes that take part in an epoch do so in the same, and that rule.
func OneLive(rule messaging.Invariant) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		var live *node
		for i := range nodes {
			of := nodes[i]
			if b, is := of.(*broken); is {
				of = b.good()
			}
			n, up := of.(*node)
			switch {
			case !up || !n.active():
			case live == nil:
				live = n
			case n.Present != live.Present:
				return fmt.Errorf("node %d takes part in epoch %d, and node %d in epoch %d", live.start.Self, live.Present, n.start.Self, n.Present)
			}
		}
		return rule(nodes, transit)
	}
}

// Kept reports whether one of these nodes has kept the number of the last epoch, or if all are up, together
// they know it.
func Kept(nodes []messaging.Node) bool {
	all := true
	for i := range nodes {
		n, up := nodes[i].(*node)
		if up && n.Kept {
			return true
		}
		all = all && up
	}
	return all
}

// Rehearse returns the nodes of p in the first of their epochs, if those wait, which of them are inside, and how
// many messages are left.
func Rehearse(p messaging.Protocol, members int, waiting messaging.Set) (nodes []messaging.Node, inside messaging.Set, left int) {
	n := Over(p, Config{})(messaging.Start{Nodes: members}).(*node)
	r := n.rehearse(Begin{Epoch: uint64(members), Members: everyone(members), Waiting: waiting}, none)
	return r.nodes, r.inside, len(r.transit)
}
