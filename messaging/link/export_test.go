package link

import "example.org/doorway/messaging"

// Broken returns links with a rule that is wrong.
func Broken(a messaging.Algorithm, c Config, rule string) messaging.Algorithm {
	good := Over(a, c)
	return func(start messaging.Start) messaging.Node {
		n := good(start).(interface{ link() *node }).link()
		switch rule {
		case "duplicates are delivered":
			return &duplicating{*n}
		case "what is missing is acknowledged":
			return &acknowledging{*n}
		}
		return &reusing{*n} // numbers are reused after a restart
	}
}

type duplicating struct{ node }

func (n *duplicating) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if f, ok := m.(Frame); ok && f.Number <= n.Peers[from].Seen {
		n.Inner.Receive(from, f.Message, n.begin(out))
		n.end()
	}
	n.node.Receive(from, m, out)
}

type acknowledging struct{ node }

func (n *acknowledging) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, eager{out, &n.node})
}

// eager acknowledges what came too early, and with it what is missing.
type eager struct {
	messaging.Out
	n *node
}

func (o eager) Send(to messaging.ID, m messaging.Message) {
	if a, ok := m.(Ack); ok {
		for _, e := range o.n.Peers[to].Early {
			a.Seen = e.Number
		}
		m = a
	}
	o.Out.Send(to, m)
}

type reusing struct{ node }

func (n *reusing) Start(out messaging.Out) {
	n.node.Start(out)
	n.Incarnation = 1
	for j := range n.Peers {
		n.Peers[j].Incarnation = 1
	}
}
