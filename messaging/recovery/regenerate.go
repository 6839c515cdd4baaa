package recovery

import (
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// wait has a node that waits be patient for a while.
func (n *node) wait() {
	if n.config.Patience > 0 {
		n.Timers++
		n.out.After(n.config.Patience, impatience{})
	}
}

func (n *node) impatience() {
	n.Timers--
	if n.Timers == 0 && n.Phase == messaging.Waiting {
		n.wait()
		n.suspect()
	}
}

// suspect has the leader regenerate, once there is one.
func (n *node) suspect() {
	if n.Regenerates == 0 {
		n.Suspicious = true
		n.hold()
	}
}

func (n *node) hold() {
	n.vote(func(out messaging.Out) { n.Election.Receive(n.start.Self, election.Hold{}, out) })
}

// vote has the node of the election handle an event, and acts on who is elected.
func (n *node) vote(handle func(out messaging.Out)) {
	b := &ballot{Out: n.out}
	handle(b)
	for _, leader := range b.elected {
		n.Leader = leader
		switch {
		case leader == n.start.Self:
			n.regenerate(n.Promised)
		case n.Suspicious:
			n.accuse(leader)
		}
	}
}

// accuse sends a Suspect.
func (n *node) accuse(to messaging.ID) {
	n.out.Send(to, suspect{n.Promised, n.Answered && !n.active(), n.Incarnation})
}

// suspected handles the Suspect of node from.
func (n *node) suspected(from messaging.ID, m suspect) {
	anew := n.know(from, m.Incarnation)
	member := n.active() && slices.Contains(n.Members, from)
	switch {
	case n.Leader != n.start.Self && n.Regenerates == 0 && !n.named(m.Epoch) && (n.active() || n.Crashed[from] == 0): // who leads will hear of it
	case n.Crashed[from] != 0:
		n.probe(from)
	case anew:
		n.regenerate(max(n.Promised, m.Epoch))
	case n.Regenerates >= m.Epoch && n.Regenerates != 0: // it was asked, and will answer
	case member && (n.Present > m.Epoch || n.Present == m.Epoch && m.Promised): // its Begin will come
	default:
		n.regenerate(max(n.Promised, m.Epoch))
	}
}

// named reports whether this node has named an epoch.
func (n *node) named(epoch uint64) bool { return epoch > 0 && n.regenerator(epoch) == n.start.Self }

// know notes an incarnation of a node, and reports whether it was not known.
func (n *node) know(j messaging.ID, incarnation uint64) bool {
	anew := incarnation > n.Incarnations[j]
	n.Incarnations[j] = max(n.Incarnations[j], incarnation)
	return anew
}

// probe asks a node that counts as crashed whether it has restarted. Its answer was sent after the crash.
func (n *node) probe(j messaging.ID) { n.out.Send(j, probe{n.Crashed[j]}) }

// alive handles the answer to a probe.
func (n *node) alive(from messaging.ID, m alive) {
	anew := n.know(from, m.Incarnation)
	if m.Number == n.Crashed[from] {
		n.Crashed[from] = 0
	} else if !anew {
		return
	}
	switch {
	case n.Leader == n.start.Self || n.Regenerates != 0:
		n.regenerate(n.Promised)
	case n.active() && !slices.Contains(n.Members, from):
		n.suspect()
	default:
		n.reportAgain()
	}
}

// regenerate names an epoch that is later than after, and than all that this node has named, and asks all nodes to
// take part. There is a new one for each node that is back. So no node takes part in an epoch that was named before it
// started.
func (n *node) regenerate(after uint64) {
	after = max(after, n.Regenerates)
	n.Regenerates = uint64(election.NextTerm(messaging.Time(after), n.start.Self, n.start.Nodes))
	n.Answers, n.Awaited, n.Probed = make([]status, n.start.Nodes), nil, false
	n.ask(func(messaging.ID) bool { return true })
	if n.config.Silence > 0 {
		n.out.After(n.config.Silence, silence{n.Regenerates})
	}
}

// stopRegenerating has the node name no epoch any more: it has begun, or another node has named a later one.
func (n *node) stopRegenerating() {
	n.Regenerates, n.Answers, n.Awaited, n.Probed = 0, nil, nil, false
}

// ask sends a Freeze to those that do not count as crashed.
func (n *node) ask(which func(j messaging.ID) bool) {
	crashed := n.crashed()
	for j := range messaging.ID(n.start.Nodes) {
		to := n.Incarnations[j]
		if j == n.start.Self {
			to = n.Incarnation
		}
		if !crashed.Has(j) && which(j) {
			n.out.Send(j, freeze{n.Regenerates, to, crashed})
			if n.config.Silence > 0 {
				n.Awaited.Add(j)
			}
		}
	}
}

// answered handles the Status of node from.
func (n *node) answered(from messaging.ID, m status) {
	if n.Crashed[from] != 0 && n.config.Silence > 0 { // it was only slow
		n.Crashed[from] = 0
		n.regenerate(n.Promised)
		return
	}
	n.probeAll(m.Crashed) // also if it has begun meanwhile
	if m.Epoch != n.Regenerates || m.Number <= n.Answers[from].Number {
		return
	}
	n.Answers[from] = m
	n.beginIfAll(n.agreed())
}

// probeAll probes those that count as crashed here, but are not among these.
func (n *node) probeAll(crashed messaging.Set) {
	for j := range n.crashed().All() {
		if !crashed.Has(j) {
			n.probe(j)
		}
	}
}

// silence treats nodes from which nothing has arrived since they were asked as crashed, and asks again. Once all
// are ready, it probes those that count as crashed. If these are silent again, the epoch begins.
func (n *node) silence(epoch uint64) {
	if epoch != n.Regenerates {
		return
	}
	for j := range n.Awaited.All() { // not this node: its timer has arrived
		if n.Crashed[j] == 0 {
			n.lose(j)
		}
	}
	n.Awaited = nil
	n.beginIfAll(n.Probed || n.agreed())
	if n.Regenerates != epoch {
		return
	}
	n.ask(func(j messaging.ID) bool { return !n.ready(j) || n.doubted(j) })
	n.Probed = n.Awaited.Len() == 0
	if n.Probed {
		n.probeAll(nil)
	}
	n.out.After(n.config.Silence, silence{epoch})
}

// ready reports whether a node takes part in no earlier epoch, is not inside, and counts no node as crashed that
// does not count as crashed here.
func (n *node) ready(j messaging.ID) bool {
	a := n.Answers[j]
	if a.Epoch != n.Regenerates || a.Inside {
		return false
	}
	for k := range a.Crashed.All() {
		if n.Crashed[k] == 0 {
			return false
		}
	}
	return true
}

// doubted reports whether a node has crashed, perhaps, since it answered: another one that has answered counts it as
// crashed.
func (n *node) doubted(j messaging.ID) bool {
	for k, a := range n.Answers {
		if n.Crashed[k] == 0 && a.Epoch == n.Regenerates && a.Crashed.Has(j) {
			return true
		}
	}
	return false
}

// agreed reports whether all nodes that do not count as crashed count the same nodes as crashed. With timeouts, at least
// two of them must say so.
func (n *node) agreed() bool {
	crashed, members := n.crashed(), 0
	for j, a := range n.Answers {
		if n.Crashed[j] == 0 {
			if !slices.Equal(a.Crashed, crashed) {
				return false
			}
			members++
		}
	}
	return n.config.Silence == 0 || members > 1
}

// beginIfAll begins the epoch if all nodes that do not count as crashed are ready, and it is certain that the others
// are down. One of its members must have taken part in an epoch since it started, unless all nodes are up.
func (n *node) beginIfAll(certain bool) {
	m, kept := begin{Epoch: n.Regenerates}, false
	for j := messaging.ID(n.start.Nodes) - 1; j >= 0; j-- {
		switch {
		case n.Crashed[j] != 0:
			continue
		case !n.ready(j):
			return
		case n.Answers[j].Waiting:
			m.Waiting.Add(j)
		}
		kept = kept || n.Answers[j].Kept
		m.Members = append(m.Members, j)
	}
	if !certain || !kept && len(m.Members) < n.start.Nodes {
		return
	}
	slices.Reverse(m.Members)
	n.stopRegenerating()
	for _, j := range m.Members {
		n.out.Send(j, m)
	}
}
