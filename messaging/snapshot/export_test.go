package snapshot

import "example.org/doorway/messaging"

// Broken returns a with snapshots of which a rule is wrong.
func Broken(a messaging.Algorithm, rule string) messaging.Algorithm {
	good := Over(a, nil)
	return func(start messaging.Start) messaging.Node {
		n := good(start).(interface{ snapshot() *node }).snapshot()
		switch rule {
		case "markers follow another message":
			return &following{node: *n}
		case "recording does not stop":
			return &unstopped{*n}
		case "channels are not recorded":
			return &stateOnly{*n}
		}
		return &late{*n} // the state is recorded late
	}
}

// following sends its Markers only when a timer has expired.
type following struct {
	node
	Owed []send
}

type send struct {
	To messaging.ID
	Of ID
}

// Owing is the timer of a node that has Markers to send.
type Owing struct{}

func (n *following) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m == (Owing{}) {
		for _, s := range n.Owed {
			out.Send(s.To, Marker{s.Of})
		}
		n.Owed = nil
		return
	}
	before := len(n.Owed)
	n.node.Receive(from, m, owing{out, n})
	if before == 0 && len(n.Owed) > 0 {
		out.After(0, Owing{})
	}
}

type owing struct {
	messaging.Out
	n *following
}

func (o owing) Send(to messaging.ID, m messaging.Message) {
	if m, ok := m.(Marker); ok {
		o.n.Owed = append(o.n.Owed, send{to, m.Of})
		return
	}
	o.Out.Send(to, m)
}

// unstopped records a channel until all are ended.
type unstopped struct{ node }

func (n *unstopped) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, out)
	if _, marks := m.(Marker); marks || from == n.start.Self {
		return
	}
	for k := range n.Running {
		if r := &n.Running[k]; !r.Open.Has(from) {
			r.record(from, m)
		}
	}
}

// stateOnly records no channel.
type stateOnly struct{ node }

func (n *stateOnly) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, parting{out, func(p *Part) { p.Channels = nil }})
}

// late records its state when its part is complete.
type late struct{ node }

func (n *late) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, parting{out, func(p *Part) { p.State = n.state() }})
}

// parting changes the parts that are emitted.
type parting struct {
	messaging.Out
	change func(p *Part)
}

func (o parting) Emit(v any) {
	if p, ok := v.(Part); ok {
		o.change(&p)
		v = p
	}
	o.Out.Emit(v)
}
