package nodes

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// happenedBefore finds whether a node that p excludes enters while p waits, although it has
// requested after p: as an effect of the request of p (L. Lamport, "Time, clocks, and the
// ordering of events in a distributed system", Communications of the ACM 21(7), 1978,
// 558-565). Follow has the most entries that can follow, as precedes finds them.
func (g *graph) happenedBefore(p int, follow []uint8) space.Verdict {
	return g.watch(history.Endless, func() *space.Monitor {
		e := &effects{graph: g, p: p, follow: follow, visited: map[space.ID][]uint32{}, without: make([]bool, g.End())}
		return &space.Monitor{Graph: g.Graph, First: none, Next: e.next, Known: e.known}
	})
}

// effects remembers what the request of node p has effects on: with a byte for each node,
// then one for each message in transit. More effects are worse.
type effects struct {
	*graph
	p      int
	follow []uint8

	space.Table
	visited map[space.ID][]uint32 // by state
	without []bool                // by state: it has been visited without effects

	buf   []byte
	queue []marked
}

// What is remembered of a node or a message.
const (
	after byte = 1 << iota // it is an effect of the request of p
	later                  // so is the request of the node
)

// none is what is remembered if it does not matter: while p does not wait, or nothing can go
// wrong any more.
const none = ^uint32(0)

// next remembers the effects while p waits.
func (e *effects) next(at space.Past, slot int, to space.ID, f func(memory uint32)) (wrong string) {
	waited := e.waits(at.ID, e.p)
	switch {
	case !e.waits(to, e.p):
		f(none)
	case waited && at.Memory == none:
		f(none) // it can go wrong no more
	case waited:
		l, before := e.label(at.ID, slot), e.Codes[at.Memory]
		if l.entered && e.later(l, before) && e.excludes.Excludes(messaging.ID(e.p), messaging.ID(l.node)) {
			return fmt.Sprintf("not in happened-before order: %s enters before %s, whose request happened before its own", named(l.node), named(e.p))
		}
		e.step(at.ID, to, l, before, f)
	default: // also if it has aborted the request, and makes it again: that is a new one
		before := make([]byte, e.c.Nodes)
		before[e.p] = after
		for _, u := range e.used {
			before = append(before, make([]byte, len(e.transit(at.ID, u)))...)
		}
		e.step(at.ID, to, e.label(at.ID, slot), string(before), f)
	}
	return ""
}

// known reports whether a state has been visited with these effects or more.
func (e *effects) known(p space.Past) bool {
	if p.Memory == none {
		known := e.without[p.ID]
		e.without[p.ID] = true
		return known
	}
	if slices.ContainsFunc(e.visited[p.ID], func(v uint32) bool { return includes(e.Codes[v], e.Codes[p.Memory]) }) {
		return true
	}
	e.visited[p.ID] = append(e.visited[p.ID], p.Memory)
	return false
}

func includes(more, less string) bool {
	for k := range len(less) {
		if less[k]&^more[k] != 0 {
			return false
		}
	}
	return true
}

// later reports whether the request of the node of an event, which may be that event, is an
// effect of that of p.
func (e *effects) later(l label, before string) bool {
	if l.what == asks {
		return before[l.node]&after != 0
	}
	return before[l.node]&later != 0
}

// step calls f with the effects after an event; none, if no node can request as an effect and
// enter before p any more.
func (e *effects) step(from, to space.ID, l label, before string, f func(memory uint32)) {
	i, nodes, took := l.node, e.c.Nodes, e.taken(from, l, before)
	now := append(e.buf[:0], before[:nodes]...)
	if now[i] &^= later; e.later(l, before) && e.waits(to, i) {
		now[i] |= later
	}
	if l.what == gets {
		now[i] |= took.mark
	}
	marks := before[nodes:]
	for _, u := range e.used {
		e.queue = e.queue[:0]
		for k, m := range e.transit(from, u) {
			if u != l.link || l.what == doubles || k != took.at {
				e.queue = append(e.queue, marked{m, marks[k], k})
			}
		}
		marks = marks[len(e.transit(from, u)):]
		if u == l.link && l.what == doubles {
			e.queue = slices.Insert(e.queue, e.place(l, e.transit(from, u)), took)
		}
		for _, mail := range l.mail {
			if e.cells.link(i, int(mail.to)) == u {
				for _, m := range e.cells.parcels[mail.parcel] {
					e.queue = append(e.queue, marked{message: m, mark: now[i] & after})
				}
			}
		}
		if len(e.transit(to, u)) == 0 {
			continue // also if the receiver has crashed
		}
		if e.c.Unordered {
			for k := range e.queue {
				e.queue[k].message = e.cells.messageLater(e.queue[k].message, -l.shift)
			}
			slices.SortFunc(e.queue, func(a, b marked) int {
				return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.mark, b.mark))
			})
		}
		for _, m := range e.queue {
			now = append(now, m.mark)
		}
	}
	e.buf = now
	if e.matters(to, now) {
		number, _ := e.Number(now)
		f(number)
	} else {
		f(none)
	}
}

// A marked is a message in transit with its mark, and its place on its link.
type marked struct {
	message uint32
	mark    byte
	at      int
}

// taken returns the message that an event takes from a link or doubles: of several equal ones, the
// first that is received on a FIFO link, and otherwise the worst choice. None is at -1.
func (e *effects) taken(from space.ID, l label, before string) marked {
	if l.link < 0 {
		return marked{at: -1}
	}
	at := e.c.Nodes
	for _, u := range e.used {
		if u == l.link {
			break
		}
		at += len(e.transit(from, u))
	}
	var equal []marked
	rest := e.cells.links[l.link][l.queue].messages
	queue := e.transit(from, l.link)
	if l.what == doubles {
		queue = queue[:e.place(l, queue)]
	}
	for k, m := range queue {
		if m == l.message && (l.what == doubles || slices.Equal(slices.Delete(slices.Clone(queue), k, k+1), rest)) {
			equal = append(equal, marked{m, before[at+k], k})
		}
	}
	byMark := func(a, b marked) int { return cmp.Compare(a.mark, b.mark) }
	switch {
	case l.what == gets && !e.c.Unordered:
		return equal[0]
	case l.what == gets || l.what == doubles: // the receiver has the mark, sooner or later
		return slices.MaxFunc(equal, byMark)
	}
	return slices.MinFunc(equal, byMark) // it is lost
}

// place returns the place of the second of a message that arrives twice, which is on a link with that queue.
func (e *effects) place(l label, queue []uint32) int {
	at := len(queue)
	if e.c.Unordered {
		return at
	}
	after := e.cells.links[l.link][l.queue].messages
	for after[at] != l.message || !slices.Equal(slices.Delete(slices.Clone(after), at, at+1), queue) {
		at--
	}
	return at
}

// matters reports whether, in a state with these effects, a node that p excludes can still
// request as an effect and enter while p waits.
func (e *effects) matters(id space.ID, now []byte) bool {
	for q := range e.c.Nodes {
		if q == e.p || !e.excludes.Excludes(messaging.ID(e.p), messaging.ID(q)) {
			continue
		}
		entries := e.follow[int(id)*e.c.Nodes+q]
		if entries == 1 && now[q]&later == 0 && e.waits(id, q) && e.lasts(id) {
			continue // by the request that it has
		}
		if entries > 0 {
			return true
		}
	}
	return false
}

// lasts reports whether no request ends without an entry from now on.
func (e *effects) lasts(id space.ID) bool {
	return e.Get(id, e.left[withdrawals]) == 0 && e.Get(id, e.left[crashesLeft]) == 0
}

// transit returns the messages in transit on a link.
func (e *effects) transit(id space.ID, link int) []uint32 {
	return e.cells.links[link][e.Get(id, e.links[link])].messages
}
