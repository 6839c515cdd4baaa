package recovery

import (
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// A rehearsal is a run of the algorithm by the members of an epoch before it begins: those that wait request, and
// messages arrive in the order of sending, until none is left. Each member rehearses the same, and begins with the
// state that its own node has then. So none that waits need ask: the first is inside with the Begin, and the others are in
// the queues of the algorithm. If messages are left, their senders send them.
//
// It is a run that the algorithm may have had; so what holds of the algorithm holds from there on.
type rehearsal struct {
	nodes   []messaging.Node // by rank
	asked   messaging.Set    // the nodes that have requested
	acting  messaging.ID
	inside  messaging.ID // none: no node is
	transit []rehearsed
	self    messaging.ID // whose timers and events go to out
	out     *outlet
}

// mostRehearsed is the largest number of members of an epoch whose requests are rehearsed; more of them request anew.
// The time that a rehearsal takes is quadratic: if all nodes are in one process, 32 of them take some 10 ms together, and 200
// would take seconds.
const mostRehearsed = 32

// A rehearsed message is one between two nodes of the algorithm.
type rehearsed struct {
	from, to messaging.ID
	message  messaging.Message
}

func (r *rehearsal) Send(to messaging.ID, m messaging.Message) {
	r.out.mustBeMember(to, m, len(r.nodes))
	r.transit = append(r.transit, rehearsed{r.acting, to, m})
}

func (r *rehearsal) Enter() { r.inside = r.acting }

func (r *rehearsal) After(d time.Duration, m messaging.Message) {
	if r.acting == r.self {
		r.out.After(d, m)
	}
}

func (r *rehearsal) Choose(int) int { return 0 } // all nodes choose the same

func (r *rehearsal) Emit(v any) {
	if r.acting == r.self {
		r.out.Emit(v)
	}
}

// rehearse returns the rehearsal of an epoch. The member of rank self has its timers and events; none has, if that
// is none.
func (n *node) rehearse(m Begin, self messaging.ID) *rehearsal {
	r := &rehearsal{nodes: make([]messaging.Node, len(m.Members)), self: self, out: (*outlet)(n), inside: none}
	if len(m.Members) <= mostRehearsed {
		r.asked = m.Waiting
	}
	for i := range r.nodes {
		if r.acting = messaging.ID(i); r.acting != self && self != none && r.asked.Len() == 0 {
			continue // what others do without a request is theirs
		}
		r.nodes[i] = n.inner(r.acting, len(m.Members), n.holder(m))
		if of, ok := messaging.As[messaging.Starter](r.nodes[i]); ok {
			of.Start(r)
		}
	}
	for i, j := range m.Members {
		if r.asked.Has(j) {
			r.acting = messaging.ID(i)
			r.nodes[i].(messaging.Exclusion).Request(r)
		}
	}
	// A token that circulates while no node waits does so forever. Any end is right.
	for left := 10 * len(m.Members) * len(m.Members); left > 0 && r.asked.Len() > 0 && len(r.transit) > 0; left-- {
		next := r.transit[0]
		r.transit = r.transit[1:]
		r.acting = next.to
		r.nodes[next.to].Receive(next.from, next.message, r)
	}
	return r
}

// holder returns the rank of the node that has the privilege when an epoch begins: the first that waits or, if
// none does, the one that has regenerated.
func (n *node) holder(m Begin) messaging.ID {
	return messaging.ID(max(0, slices.IndexFunc(m.Members, func(j messaging.ID) bool {
		return m.Waiting.Has(j) || m.Waiting.Len() == 0 && j == n.regenerator(m.Epoch)
	})))
}
