package recovery

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// A rehearsal is a run of the algorithm by the members of an epoch before it begins: those that wait request, and
// messages arrive in the order of sending, until none is left. Each member rehearses the same, and begins with the
// state that its own node has then. So none that waits need ask: one is inside with the Begin, and the others are in
// the queues of the algorithm. If messages are left, their senders send them.
//
// It is a run that the algorithm may have had; so what holds of the algorithm holds from there on.
type rehearsal struct {
	nodes   []messaging.Node // by rank
	asked   messaging.Set    // the nodes that have requested
	inside  messaging.Set    // the nodes that have entered; more than one if the algorithm is wrong
	acting  messaging.ID
	own     wrap.Own // of the acting node
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
	r.out.mustBeMember(r.acting, to, m, len(r.nodes))
	if to == r.acting {
		r.own = append(r.own, m)
		return
	}
	r.transit = append(r.transit, rehearsed{r.acting, to, m})
}

func (r *rehearsal) Enter() {
	if !r.asked.Has(r.acting) || r.inside.Has(r.acting) {
		panic(fmt.Sprintf("recovery: node %d of epoch %d enters, but it does not wait: a node enters once per request", r.acting, r.out.Present))
	}
	r.inside.Add(r.acting)
}

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

// act has a node handle an event, and then the messages that it sends to itself.
func (r *rehearsal) act(rank messaging.ID, handle func(of messaging.Node)) {
	r.acting = rank
	handle(r.nodes[rank])
	r.own.Deliver(r.nodes[rank], rank, r)
}

// rehearse returns the rehearsal of an epoch. The member of rank self has its timers and events; none has, if that
// is none.
func (n *node) rehearse(m begin, self messaging.ID) *rehearsal {
	members := messaging.ID(len(m.Members))
	r := &rehearsal{nodes: make([]messaging.Node, members), self: self, out: (*outlet)(n)}
	for i, j := range m.Members {
		if members <= mostRehearsed && m.Waiting.Has(j) {
			r.asked.Add(messaging.ID(i))
		}
	}
	for i := range members {
		if i != self && self != none && r.asked.Len() == 0 {
			continue // what others do without a request is theirs
		}
		r.nodes[i] = n.inner(i, len(m.Members), n.holder(m))
		if of, ok := messaging.As[messaging.Starter](r.nodes[i]); ok {
			r.act(i, func(messaging.Node) { of.Start(r) })
		}
	}
	for i := range r.asked.All() {
		r.act(i, func(of messaging.Node) { of.(messaging.Exclusion).Request(r) })
	}
	// A token that circulates while no node waits does so forever. Any end is right.
	for left := 10 * members * members; left > 0 && r.asked.Len() > 0 && len(r.transit) > 0; left-- {
		next := r.transit[0]
		r.transit = r.transit[1:]
		r.act(next.to, func(of messaging.Node) { of.Receive(next.from, next.message, r) })
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
