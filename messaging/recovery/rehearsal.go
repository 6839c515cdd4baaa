package recovery

import (
	"slices"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// A rehearsal is a run of the algorithm by the members of an epoch before it begins. Those that wait request, and
// messages arrive in the order of sending, until none is left. Each member rehearses the same run, and begins with the
// state that its own node has at the end. So none that waits needs to ask: one is inside with the Begin, and the others
// are in the queues of the algorithm. If messages are left, their senders send them.
//
// It is a run that the algorithm may have had. So what holds of the algorithm holds from there on.
type rehearsal struct {
	sites   []*host.Site  // by rank; nil: what that node does without a request is its own
	asked   messaging.Set // the nodes that have requested
	transit []rehearsed
	self    messaging.ID // whose timers and events go to out
	out     *outlet
}

// mostRehearsed is the largest number of members of an epoch whose requests are rehearsed; more of them request anew.
// A rehearsal takes quadratic time. If all nodes are in one process, 32 of them take some 10 ms together, and 200 would
// take seconds.
const mostRehearsed = 32

// A rehearsed message is one between two nodes of the algorithm.
type rehearsed struct {
	from, to messaging.ID
	message  messaging.Message
}

// carryOut carries out what the node of a rank has done.
func (r *rehearsal) carryOut(rank messaging.ID) {
	site := r.sites[rank]
	for _, s := range site.Sends {
		r.transit = append(r.transit, rehearsed{rank, s.To, s.Message})
	}
	if rank == r.self {
		for _, t := range site.Timers {
			r.out.After(t.After, t.Message)
		}
		for _, v := range site.Emits {
			r.out.Emit(v)
		}
	}
	site.Done()
}

// rehearse returns the rehearsal of an epoch, in which all nodes choose the same. The member of rank self has its timers
// and events; none has, if that is none.
func (n *node) rehearse(m begin, self messaging.ID) *rehearsal {
	members := messaging.ID(len(m.Members))
	r := &rehearsal{sites: make([]*host.Site, members), self: self, out: (*outlet)(n)}
	for i, j := range m.Members {
		if members <= mostRehearsed && m.Waiting.Has(j) {
			r.asked.Add(messaging.ID(i))
		}
	}
	for i := range members {
		if i == self || self == none || r.asked.Len() > 0 {
			start := messaging.Start{Self: i, Nodes: len(m.Members), Holder: n.holder(m)}
			r.sites[i] = host.NewSite(n.algorithm(len(m.Members)), start, nil)
			r.sites[i].Start()
			r.carryOut(i)
		}
	}
	for i := range r.asked.All() {
		r.sites[i].Request()
		r.carryOut(i)
	}
	// A token that circulates while no node waits does so forever. Any end is right.
	for rest := 10 * members * members; rest > 0 && r.asked.Len() > 0 && len(r.transit) > 0; rest-- {
		next := r.transit[0]
		r.transit = r.transit[1:]
		r.sites[next.to].Receive(next.from, next.message)
		r.carryOut(next.to)
	}
	return r
}

// holder returns the rank of the node that has the privilege when an epoch begins: the first that waits or, if
// none does, the one that has regenerated.
func (n *node) holder(m begin) messaging.ID {
	return messaging.ID(max(0, slices.IndexFunc(m.Members, func(j messaging.ID) bool {
		return m.Waiting.Has(j) || m.Waiting.Len() == 0 && j == n.regenerator(m.Epoch)
	})))
}
