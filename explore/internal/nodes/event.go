package nodes

import (
	"slices"

	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// A label is the move of a node.
type label struct {
	node int
	*move
	early bool           // of a timer that expires although a message may still arrive
	link  int            // whose queue changes; -1: none
	queue uint32         // what it is then
	joins bool           // its new time is the same as the next one
	shift messaging.Time // by how much all times are earlier then; or the number of a ranking
	since messaging.Time // in a history, by how much they are later than here
}

// free reports whether what happens need not happen although it remains possible: a fault, and what a user does, but for
// leaving.
func (g *graph) free(l *label) bool {
	return l.fault() || l.what == asks || l.what == givesUp || about[l.what].action == "input" || l.what == leaves && g.linger
}

// fault reports whether what happens is a fault of a node, a link or a detector, or a timer is early.
func (l *label) fault() bool { return l.budget() >= crashesLeft }

// budget returns the budget that an event takes from.
func (l *label) budget() int {
	if l.early {
		return earlyLeft
	}
	return about[l.what].budget
}

// possible sets the events of b to those that are possible in its state, as far as they are known.
func (g *graph) possible(b *seen) {
	b.events, b.unknown = b.events[:0], false
	if i := g.fresh(b); i >= 0 {
		g.cells.know(b, b.cells[i])
		g.add(b, i, b.cells[i].first, never, false)
	} else {
		g.addAll(b)
	}
	if g.cells.ranked {
		g.both(b)
	}
}

// addAll adds the events of nodes that have started.
func (g *graph) addAll(b *seen) {
	least, early := never, false
	if !g.c.AnyTime {
		least, early = g.due(b)
	}
	for i, c := range b.cells {
		g.cells.know(b, c)
		g.add(b, i, c.first, least, early)
		g.arrivals(b, i, c)
		g.add(b, i, c.last, least, early)
	}
}

// due returns until when timers are due that may expire, and whether the others would be early. One that is due by
// now may expire at any time.
func (g *graph) due(b *seen) (least uint64, early bool) {
	least, quiet := g.quiet(b)
	switch {
	case quiet:
		return least, false
	case b.left[earlyLeft] == 0:
		return 0, false
	}
	least = never
	for _, c := range b.cells {
		least = min(least, c.due())
	}
	return least, true
}

// add adds some moves of a node. Timers that are due until least may expire, which may be early.
func (g *graph) add(b *seen, i int, moves []move, least uint64, early bool) {
	for at := range moves {
		m := &moves[at]
		if m.what == expires && !g.c.AnyTime && b.cells[i].due() > least {
			continue
		}
		if m.what == suspects && b.cells[m.from].down {
			continue // that would be right
		}
		l := label{node: i, move: m, early: early && m.what == expires && b.cells[i].due() > 0, link: -1}
		if budget := l.budget(); budget == unlimited || b.left[budget] > 0 {
			b.events = append(b.events, l)
		}
	}
}

// arrivals adds what can happen to the messages to a node.
func (g *graph) arrivals(b *seen, i int, c *cell) {
	for from := range g.c.Nodes {
		l := g.cells.link(from, i)
		n := b.queues[l]
		if n == 0 {
			continue
		}
		heads := g.cells.heads(b, l, n)
		for k := range heads {
			h := &heads[k]
			if h.arrives {
				moves := g.cells.receive(b, c, messaging.ID(from), h.message)
				for at := range moves {
					b.events = append(b.events, label{node: i, move: &moves[at], link: l, queue: h.rest})
				}
			}
			if b.left[lossesLeft] > 0 && !c.down { // else it can arrive, and is lost
				b.events = append(b.events, label{node: i, move: &h.drop, link: l, queue: h.rest})
			}
			if b.left[duplicatesLeft] > 0 {
				for _, n := range h.twice {
					b.events = append(b.events, label{node: i, move: &h.again, link: l, queue: n})
				}
			}
		}
	}
}

// fresh returns the first node that has yet to start: it does so before anything else
// happens (see [messaging.Starter]); -1: none.
func (g *graph) fresh(b *seen) int {
	if !g.starts {
		return -1
	}
	return slices.IndexFunc(b.cells, func(c *cell) bool { return c.fresh })
}

// after sets the next state of b to the one after an event, if that is known.
func (g *graph) after(b *seen, l *label) {
	g.happen(b, l)
	if g.cells.shifts && b.fits && !b.unknown {
		g.normalize(b, l)
	}
}

// happen is after without the shift of times.
func (g *graph) happen(b *seen, l *label) {
	b.next, b.fits = append(b.next[:0], b.key...), true
	if budget := l.budget(); budget != unlimited {
		b.set(g.left[budget], uint32(b.left[budget]-1))
	}
	if l.link >= 0 {
		b.set(g.links[l.link], l.queue)
	}
	switch l.what {
	case drops, doubles:
		return
	case crashes:
		g.crashed(b, l.node)
	case expires:
		if !g.c.AnyTime {
			g.expired(b, b.cells[l.node].due())
		}
	}
	b.set(g.layout.cells[l.node], l.cell)
	if l.what == restarts && g.c.Detected {
		g.restarted(b, l.node, l.cell)
	}
	for _, mail := range l.mail {
		if g.c.Restarts > 0 || !b.cells[mail.to].down {
			at := g.cells.link(l.node, int(mail.to))
			b.set(g.links[at], g.cells.push(b, at, uint32(g.links[at].Of(b.next)), mail.parcel))
		}
	}
}

// crashed sets what the crash of node i does to others and to links.
func (g *graph) crashed(b *seen, i int) {
	for j, f := range g.layout.cells {
		if g.c.Restarts == 0 { // it never receives anything again
			b.set(g.links[g.cells.link(j, i)], 0)
		}
		if g.c.Detected {
			b.set(f, g.cells.notice(b, j, uint32(f.Of(b.key)), i, true))
		}
	}
}

// restarted sets what the restart of node i, whose cell is n then, does to what a detector tells: no node is told of that crash
// any more, and it is told which nodes are down.
func (g *graph) restarted(b *seen, i int, n uint32) {
	for j, f := range g.layout.cells {
		switch {
		case j == i:
		case b.cells[j].down:
			n = g.cells.notice(b, i, n, j, true)
		default:
			b.set(f, g.cells.notice(b, j, uint32(f.Of(b.key)), i, false))
		}
	}
	b.set(g.layout.cells[i], n)
}

// expired sets the timers of all nodes after time d.
func (g *graph) expired(b *seen, d uint64) {
	for j, f := range g.layout.cells {
		b.set(f, g.cells.expire(b, j, uint32(f.Of(b.key)), d))
	}
}

// quiet reports whether a request is pending, if there are locks, no node is inside that it
// waits for and no message is in transit; and returns when the first timer is due.
func (g *graph) quiet(b *seen) (least uint64, quiet bool) {
	least = never
	b.waiting, b.inside = b.waiting[:0], b.inside[:0]
	for _, l := range g.used {
		if b.queues[l] > 0 {
			return never, false
		}
	}
	for i := range g.c.Nodes {
		c := b.cells[i]
		switch {
		case c.notices != 0, c.phase == messaging.Inside && g.excludes.Complete():
			return never, false
		case c.phase == messaging.Inside:
			b.inside = append(b.inside, messaging.ID(i))
		case c.phase != messaging.Idle:
			b.waiting = append(b.waiting, messaging.ID(i))
		}
		least = min(least, c.due())
	}
	return least, !g.locks || g.excludes.Idle(b.waiting, b.inside)
}

// stuck reports whether, in the state of b, a request is pending, no node is inside that it
// waits for, and nothing can happen but what a user does, and faults.
func (g *graph) stuck(b *seen) bool {
	least, quiet := g.quiet(b)
	return quiet && least == never && g.locks && !g.restartable(b)
}

// restartable reports whether a node that is down may restart.
func (g *graph) restartable(b *seen) bool {
	return b.left[restartsLeft] > 0 && slices.ContainsFunc(b.cells, func(c *cell) bool { return c.down })
}

// possibleIn returns the events that are possible in a state, by slot, until it is called again.
func (g *graph) possibleIn(id space.ID) []label {
	b := &g.buffer
	g.unpack(g.Words(id), b)
	g.possible(b)
	for at := range b.events {
		if l := &b.events[at]; g.cells.shifts && l.err == nil {
			g.after(b, l) // for the shift
		}
	}
	return b.events
}

// label returns the move in a state by a slot. It keeps those of the latest state.
func (g *graph) label(id space.ID, slot int) label {
	if s := &g.latest; s.labels == nil || s.of != id {
		s.of, s.labels = id, append(s.labels[:0], g.possibleIn(id)...)
	}
	return g.latest.labels[slot]
}
