package link

import (
	"slices"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

type node struct {
	start   messaging.Start
	tick    time.Duration
	timeout int // in ticks, until a round trip is measured
	delay   int // in ticks, of an acknowledgement
	buffer  int
	out     messaging.Out // of the handler that runs; nil: none does
	from    messaging.ID  // whose frame is handled, and
	acks    uint64        // its acknowledgement, which counts once its message is taken

	Incarnation uint64 `messaging:"durable"`
	Ticking     bool
	Peers       []peer
	Inner       messaging.Node
	Own         layer.Loopback // of Inner, while a handler runs
}

// Start begins a new incarnation. One that has restarted says so.
func (n *node) Start(out messaging.Out) {
	n.Incarnation++
	n.begin(out)
	for j := range layer.Linked(n.start) {
		if n.Peers[j].Greets {
			out.Send(j, hello{n.Incarnation})
			n.keepTicking()
		}
	}
	n.end()
	if starter, ok := messaging.As[messaging.Starter](n.Inner); ok {
		n.act(out, starter.Start)
	}
}

// Down stops repetition to peer, until that answers a question that was sent afterwards.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	n.Peers[peer].Down = true
	n.Peers[peer].Notices++
	if survivor, ok := messaging.As[messaging.Survivor](n.Inner); ok {
		n.act(out, func(out messaging.Out) { survivor.Down(peer, out) })
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if f, is := m.(frame); is && n.next(from, &f) {
		n.begin(out)
		defer n.end()
		n.take(from, &f)
		return
	}
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("link", n.start.Self, from, m, why)
	}
	n.begin(out)
	defer n.end()
	if from != n.start.Self {
		n.hear(from, m)
	} else if _, expired := m.(tick); expired {
		n.ticked()
	} else {
		n.Inner.Receive(from, m, (*outlet)(n))
		n.settle()
	}
}

// next reports whether f is the next frame on a link on which none is missing, from a node that is up: most are.
// It is not of n itself, of which n knows no incarnation.
func (n *node) next(from messaging.ID, f *frame) bool {
	p := &n.Peers[from]
	return f.Of == p.Incarnation && f.To == n.Incarnation && f.Number == p.Seen+1 && f.Seen <= p.Sent &&
		f.Of != 0 && f.Message != nil && len(p.Early) == 0 && !p.Down
}

// take is hear of the next frame.
func (n *node) take(from messaging.ID, f *frame) {
	p := &n.Peers[from]
	n.from, n.acks = from, f.Seen
	n.deliver(from, f.Message, nil)
	n.seen(p, f.Seen)
	if p.outstanding() {
		n.keepTicking()
	}
}

// hear handles a message of another node.
func (n *node) hear(from messaging.ID, m messaging.Message) {
	sender, receiver := incarnations(m)
	p := &n.Peers[from]
	was := *p
	if sender < p.Incarnation {
		return // it is of an old one
	}
	h, _ := m.(here)
	if receiver != n.Incarnation {
		h = here{} // it was sent to an old one
	}
	if p.Down && h.Answers == p.Notices {
		p.Down = false
		if sender == p.Incarnation {
			n.repeat(from, 1, p.Sent) // else know does
		}
	}
	if _, hello := m.(hello); hello || h.Asks > 0 || p.Down && h.Of == 0 {
		n.out.Send(from, here{n.Incarnation, sender, h.Asks, p.question()})
	}
	p.Greets = p.Greets && (h.Of == 0 || h.Asks > 0)
	kept := n.know(from, sender)
	switch m := m.(type) {
	case frame:
		if receiver == n.Incarnation {
			n.from, n.acks = from, m.Seen
			n.frame(from, m, &was)
			n.seen(p, m.Seen)
		} else if !p.Down { // else it was told above
			n.out.Send(from, here{n.Incarnation, sender, 0, 0}) // of the restart
		}
	case ack:
		if receiver == n.Incarnation {
			n.seen(p, m.Seen)
			n.repeat(from, m.First, m.Last)
		}
	}
	for k := range kept { // now that nothing can be refused
		n.transmit(from, k)
	}
	if p.outstanding() {
		n.keepTicking()
	}
}

// incarnations returns those of the sender and the receiver that a message names; 0: none.
func incarnations(m messaging.Message) (sender, receiver uint64) {
	switch m := m.(type) {
	case hello:
		return m.Of, 0
	case frame:
		return m.Of, m.To
	case ack:
		return m.Of, m.To
	case here:
		return m.Of, m.To
	}
	return 0, 0
}

// know notes that a node is there in an incarnation that is not older than what was known. It returns how many
// messages an earlier one has not acknowledged, which are to be sent to the new one.
func (n *node) know(from messaging.ID, incarnation uint64) int {
	p := &n.Peers[from]
	if incarnation == p.Incarnation {
		return 0
	}
	kept, full := slices.Clone(p.Unacknowledged), p.Full
	if p.ended() {
		kept, full = nil, false // they would be followed by a gap
	}
	*p = peer{Incarnation: incarnation, Down: p.Down, Notices: p.Notices, Greets: p.Greets, Sent: uint64(len(kept)), Unacknowledged: kept, Full: full}
	for k := range kept {
		kept[k].Age, kept[k].Again = 0, false
	}
	return len(kept)
}

// frame takes a frame between the two present incarnations; was is the link before it.
func (n *node) frame(from messaging.ID, f frame, was *peer) {
	p := &n.Peers[from]
	switch {
	case f.Number <= p.Seen:
		p.Owes = n.delay // the acknowledgement was lost, perhaps
	case f.Number == p.Seen+1:
		n.deliver(from, f.Message, was)
		for len(p.Early) > 0 && p.Early[0].Number <= p.Seen+1 {
			next := p.Early[0]
			p.Early = remove(p.Early, 1)
			if next.Number == p.Seen+1 {
				n.deliver(from, next.Message, nil)
			}
		}
	default:
		p.keep(f)
		p.Owes = n.delay
	}
}

// deliver hands the next message of a node to the inner node. If that refuses it, the link is as it was; was is what
// that was, nil: nothing else has changed.
func (n *node) deliver(from messaging.ID, m messaging.Message, was *peer) {
	p := &n.Peers[from]
	owed, delivered := p.Owes, false
	defer func() {
		switch {
		case delivered:
		case was != nil:
			*p = *was
		default:
			p.Seen, p.Owes = p.Seen-1, owed
		}
	}()
	p.Seen++
	p.Owes = max(p.Owes, 1)
	n.Inner.Receive(from, m, (*outlet)(n))
	delivered = true
	n.settle()
}

// settle delivers the messages of the inner node to itself. They come before the next message of
// the same handler.
func (n *node) settle() {
	n.Own.Deliver(func(m messaging.Message) { n.Inner.Receive(n.start.Self, m, (*outlet)(n)) })
}

// send takes a message of the inner node to another.
func (n *node) send(to messaging.ID, m messaging.Message) {
	p := &n.Peers[to]
	if to == n.from {
		n.seen(p, n.acks)
	}
	switch {
	case p.Full:
		return
	case len(p.Unacknowledged) == n.buffer:
		p.Full = true
		n.out.Emit(Full{to})
		return
	}
	p.Sent++
	p.Unacknowledged = append(p.Unacknowledged, unacknowledged{Message: m})
	if p.Incarnation != 0 {
		n.transmit(to, len(p.Unacknowledged)-1)
	}
	if p.outstanding() {
		n.keepTicking()
	}
}

// transmit sends a node unacknowledged message k.
func (n *node) transmit(to messaging.ID, k int) {
	p := &n.Peers[to]
	p.Owes = 0
	n.out.Send(to, frame{Of: n.Incarnation, To: p.Incarnation, Number: p.acknowledged() + uint64(k) + 1, Seen: p.Seen, Message: p.Unacknowledged[k].Message})
}

// acknowledge sends an Ack, which asks for the messages from first to last; 0: for none.
func (n *node) acknowledge(to messaging.ID, first, last uint64) {
	p := &n.Peers[to]
	p.Owes = 0
	n.out.Send(to, ack{Of: n.Incarnation, To: p.Incarnation, Seen: p.Seen, First: first, Last: last})
}

// seen notes that a node has got the messages up to that number.
func (n *node) seen(p *peer, number uint64) {
	before := p.acknowledged()
	if number <= before {
		return
	}
	k := int(number - before)
	if these := p.Unacknowledged[:k]; !slices.ContainsFunc(these, func(u unacknowledged) bool { return u.Again }) {
		p.measure(max(1, these[k-1].Age))
		p.Doubled = 0
	}
	p.Unacknowledged = remove(p.Unacknowledged, k)
}

// repeat sends a node the messages from first to last again that it has not acknowledged.
func (n *node) repeat(to messaging.ID, first, last uint64) {
	p := &n.Peers[to]
	before := p.acknowledged()
	for number := max(first, before+1); number <= last; number++ {
		n.again(to, int(number-before-1))
	}
}

// again sends unacknowledged message k once more.
func (n *node) again(to messaging.ID, k int) {
	u := &n.Peers[to].Unacknowledged[k]
	u.Age, u.Again = 0, true
	n.transmit(to, k)
}

// ticked sends again what was not acknowledged in time, asks for what is missing, and acknowledges what no
// frame has.
func (n *node) ticked() {
	n.Ticking = false
	for j := range n.start.Others() {
		p := &n.Peers[j]
		if !p.outstanding() {
			continue
		}
		n.expire(j)
		switch first, last := p.gap(); {
		case first != 0:
			p.Asked = last
			n.acknowledge(j, first, last)
		case p.Owes >= n.delay:
			n.acknowledge(j, 0, 0)
		case p.Owes > 0:
			p.Owes++
		}
		if p.outstanding() {
			n.keepTicking()
		}
	}
}

// expire counts a tick for what is unacknowledged, and for a Hello that is not answered.
func (n *node) expire(to messaging.ID) {
	p := &n.Peers[to]
	timeout, expired := p.timeout(n.timeout), false
	if p.Greets {
		if p.Waited++; p.Waited > timeout {
			p.Waited, expired = 0, true
			n.out.Send(to, hello{n.Incarnation})
		}
	}
	for k := range p.Unacknowledged {
		u := &p.Unacknowledged[k]
		if p.Incarnation == 0 {
			break // it is asked for
		}
		if u.Age++; u.Age > timeout {
			expired = true
			n.again(to, k)
		}
	}
	if expired {
		p.Doubled = min(p.Doubled+1, mostDoubled)
	}
}

// keepTicking keeps one timer running.
func (n *node) keepTicking() {
	if !n.Ticking {
		n.Ticking = true
		n.out.After(n.tick, tick{})
	}
}
