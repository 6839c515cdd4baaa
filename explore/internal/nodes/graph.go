package nodes

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"example.org/doorway/internal/conflict"
	"example.org/doorway/internal/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// The budgets of a state: how many faults may still happen.
const (
	withdrawals = iota
	crashesLeft
	restartsLeft
	lossesLeft
	duplicatesLeft
	suspicionsLeft
	earlyLeft
	budgets
)

// budget returns the budget that a cause takes from; -1: none.
func (c cause) budget() int {
	switch c {
	case givesUp:
		return withdrawals
	case crashes:
		return crashesLeft
	case restarts:
		return restartsLeft
	case drops:
		return lossesLeft
	case doubles:
		return duplicatesLeft
	case suspects:
		return suspicionsLeft
	}
	return -1
}

// A layout places the cell of each node, the queue of each link, and the budgets, in a key.
type layout struct {
	cells []space.Field
	links []space.Field // by link; those that are not used have no bits
	used  []int         // the links that are
	left  [budgets]space.Field
	words int
}

// newLayout returns a layout that has room for the cells and queues that there are, and for
// as many more as its words have bits to spare: if one is found that has no room, the
// exploration begins again.
func (cs *cells) newLayout() layout {
	y := cs.layout(2)
	for spare := 3; ; spare++ {
		wider := cs.layout(spare)
		if wider.words > y.words {
			return y
		}
		y = wider
	}
}

// layout returns a layout with some spare bits in each field that may need them.
func (cs *cells) layout(spare int) (y layout) {
	var key space.Packing
	for _, all := range cs.all {
		y.cells = append(y.cells, key.Lay(bits.Len(uint(len(all)))+spare))
	}
	for l, all := range cs.links {
		width := 0
		if len(all) > 1 {
			width = bits.Len(uint(len(all))) + spare - 1
			y.used = append(y.used, l)
		}
		y.links = append(y.links, key.Lay(width))
	}
	for b, most := range cs.c.budgets() {
		y.left[b] = key.Lay(bits.Len(uint(most)))
	}
	y.words = (key.Bits + 63) / 64
	return y
}

func (c *Config) budgets() [budgets]int {
	return [budgets]int{c.Withdrawals, c.Crashes, c.Restarts, c.Losses, c.Duplicates, c.Suspicions, c.Early}
}

// A graph is the states of nodes, and the events between them.
type graph[K space.Key] struct {
	*space.Space[K]
	layout

	c        *Config
	cells    *cells
	excludes conflict.Graph
	starts   bool                // some node starts
	locks    bool                // some node is an Exclusion
	phases   [][]messaging.Phase // by node and cell
	order    []space.ID          // see [space.Space.Order]
	scratch  space.Scratch
	linger   bool     // users need not leave
	latest   struct { // see label
		of     space.ID
		labels []label
	}

	seen  [space.Shards]seen[K]
	wider [space.Shards]bool // a cell has a number that a key has no room for
	root  K

	laterAsked int     // how often the invariant was asked at later times
	buffer     seen[K] // of everything that is asked later, by one goroutine at a time
}

// seen is what a worker looks at: a state, what can happen in it, the state after that, and
// the worst that it has found.
type seen[K space.Key] struct {
	key     K
	cells   []*cell  // by node
	queues  []uint32 // by link
	left    [budgets]int
	events  []label
	next    K
	fits    bool // next has room for its cells and queues
	waiting []messaging.ID
	inside  []messaging.ID
	view    view
	wrong   error
	wrongAt K   // the state of wrong
	ends    int // states in which nothing can happen but faults
	queue   int // the largest number of messages in transit on a link
}

func newGraph[K space.Key](c *Config, cs *cells, y layout) *graph[K] {
	g := &graph[K]{layout: y, c: c, cells: cs}
	for k := range g.seen {
		g.seen[k].make(c.Nodes)
	}
	g.buffer.make(c.Nodes)
	g.excludes = conflict.Of(c.Nodes, func(i messaging.ID) messaging.Node { return cs.nodes[i] })
	g.locks = cs.locks()
	b := &g.buffer
	for i := range c.Nodes {
		b.set(y.cells[i], cs.roots[i])
		g.starts = g.starts || cs.all[i][cs.roots[i]].fresh
	}
	for at, most := range c.budgets() {
		b.set(y.left[at], uint32(most))
	}
	g.root = b.next
	g.Space = space.New(g.root, g, space.Options{
		Workers: c.Workers, Keep: true, Memory: c.Memory, Beside: func() int64 { return cs.bytes },
		Progress: func(states int, bytes int64) {
			if c.Progress == nil {
				return
			}
			defer func() {
				if r := recover(); r != nil {
					panic(history.Breach{Err: fmt.Errorf("explore: NodesConfig.Progress panicked: %v", r)})
				}
			}()
			c.Progress("states", states, bytes)
		},
	})
	return g
}

func (b *seen[K]) make(nodes int) {
	b.cells, b.queues = make([]*cell, nodes), make([]uint32, nodes*nodes)
}

// unpack sets the state of b to k.
func (g *graph[K]) unpack(k *K, b *seen[K]) {
	b.key = *k
	for i, f := range g.layout.cells {
		b.cells[i] = g.cells.all[i][space.Get(k, f)]
	}
	for _, l := range g.used {
		b.queues[l] = uint32(space.Get(k, g.links[l]))
	}
	for at, f := range g.left {
		b.left[at] = int(space.Get(k, f))
	}
}

// set sets a field of the next state of b to n.
func (b *seen[K]) set(f space.Field, n uint32) {
	b.fits = b.fits && uint64(n) <= f.Mask
	space.Set(&b.next, f, uint64(n)&f.Mask)
}

// Steps implements [space.System].
func (g *graph[K]) Steps(k *K, shard int, out *space.Steps[K]) bool {
	b := &g.seen[shard]
	g.unpack(k, b)
	if !g.possible(b) {
		return false
	}
	end := true
	for at := range b.events {
		l := &b.events[at]
		end = end && l.fault()
		switch {
		case l.err != nil:
			b.note(l.err)
			out.No(-1)
		case !g.after(b, l):
			return false
		case b.fits:
			out.To(&b.next)
		default:
			g.wider[shard] = true
			out.No(-1)
		}
	}
	if end {
		b.ends++
	}
	for _, l := range g.used {
		if n := b.queues[l]; n > 0 {
			b.queue = max(b.queue, len(g.cells.links[l][n].messages))
		}
	}
	b.note(g.wrong(b))
	return true
}

// Learn implements [space.System].
func (g *graph[K]) Learn(k *K) {
	g.cells.learning = true
	b := &g.buffer
	g.unpack(k, b)
	g.possible(b)
	for at := range b.events {
		if l := &b.events[at]; l.err == nil {
			g.after(b, l)
		}
	}
	g.cells.learning = false
}

// note keeps the worst failure.
func (b *seen[K]) note(err error) {
	if err != nil && (b.wrong == nil || rank(err) < rank(b.wrong)) {
		b.wrong, b.wrongAt = err, b.key
	}
}

// rank orders failures: those of a state come before those of what happens in it.
func rank(err error) int {
	kinds := []error{history.Exclusion, history.Invariant, history.Results, history.Panic}
	at := slices.IndexFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	if at < 0 {
		return len(kinds)
	}
	return at
}

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

// free is [cause.free] of what happens, and that it happens now.
func (g *graph[K]) free(l *label) bool {
	return l.early || l.what.free() || l.what == leaves && g.linger
}

// fault is [cause.fault] likewise.
func (l *label) fault() bool { return l.early || l.what.fault() }

// budget is [cause.budget] likewise.
func (l *label) budget() int {
	if l.early {
		return earlyLeft
	}
	return l.what.budget()
}

// possible sets the events of b to those that are possible in its state. It returns false
// if they are not known.
func (g *graph[K]) possible(b *seen[K]) bool {
	b.events = b.events[:0]
	if g.starts {
		if i := g.fresh(b); i >= 0 {
			known := g.cells.know(b.cells[i])
			g.add(b, i, b.cells[i].first, never, false)
			g.both(b)
			return known
		}
	}
	least, early := never, false
	if !g.c.AnyTime {
		least, early = g.due(b)
	}
	for i, c := range b.cells {
		if !g.cells.know(c) {
			return false
		}
		g.add(b, i, c.first, least, early)
		if !g.arrivals(b, i, c) {
			return false
		}
		g.add(b, i, c.last, least, early)
	}
	g.both(b)
	return true
}

// due returns until when timers are due that may expire, and whether the others would be early. One that is due by
// now may expire at any time.
func (g *graph[K]) due(b *seen[K]) (least uint64, early bool) {
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
func (g *graph[K]) add(b *seen[K], i int, moves []move, least uint64, early bool) {
	for at := range moves {
		m := &moves[at]
		if m.what == expires && !g.c.AnyTime && b.cells[i].due() > least {
			continue
		}
		if m.what == suspects && b.cells[m.from].down {
			continue // that would be right
		}
		l := label{node: i, move: m, early: early && m.what == expires && b.cells[i].due() > 0, link: -1}
		if budget := l.budget(); budget < 0 || b.left[budget] > 0 {
			b.events = append(b.events, l)
		}
	}
}

// arrivals adds what can happen to the messages to a node.
func (g *graph[K]) arrivals(b *seen[K], i int, c *cell) bool {
	for from := range g.c.Nodes {
		l := g.cells.link(from, i)
		n := b.queues[l]
		if n == 0 {
			continue
		}
		heads, known := g.cells.heads(l, n)
		if !known {
			return false
		}
		for k := range heads {
			h := &heads[k]
			if h.arrives {
				moves, known := g.cells.receive(c, messaging.ID(from), h.message)
				if !known {
					return false
				}
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
	return true
}

// fresh returns the first node that has yet to start: it does so before anything else
// happens (see [messaging.Starter]); -1: none.
func (g *graph[K]) fresh(b *seen[K]) int {
	return slices.IndexFunc(b.cells, func(c *cell) bool { return c.fresh })
}

// after sets the next state of b to the one after an event. It returns false if that is
// not known.
func (g *graph[K]) after(b *seen[K], l *label) bool {
	if !g.happen(b, l) {
		return false
	}
	return !g.cells.shifts || g.normalize(b, l)
}

// happen is after without the shift of times.
func (g *graph[K]) happen(b *seen[K], l *label) bool {
	b.next, b.fits = b.key, true
	if budget := l.budget(); budget >= 0 {
		b.set(g.left[budget], uint32(b.left[budget]-1))
	}
	if l.link >= 0 {
		b.set(g.links[l.link], l.queue)
	}
	switch l.what {
	case drops, doubles:
		return true
	case crashes:
		if !g.crashed(b, l.node) {
			return false
		}
	case expires:
		if !g.c.AnyTime && !g.expired(b, b.cells[l.node].due()) {
			return false
		}
	}
	b.set(g.layout.cells[l.node], l.cell)
	if l.what == restarts && g.c.Detected && !g.restarted(b, l.node, l.cell) {
		return false
	}
	for _, mail := range l.mail {
		if g.c.Restarts > 0 || !b.cells[mail.to].down {
			at := g.cells.link(l.node, int(mail.to))
			to, known := g.cells.push(at, uint32(space.Get(&b.next, g.links[at])), mail.parcel)
			if !known {
				return false
			}
			b.set(g.links[at], to)
		}
	}
	return true
}

// crashed sets what the crash of node i does to others and to links.
func (g *graph[K]) crashed(b *seen[K], i int) bool {
	for j := range g.c.Nodes {
		if g.c.Restarts == 0 { // it never receives anything again
			b.set(g.links[g.cells.link(j, i)], 0)
		}
		if !g.c.Detected {
			continue
		}
		to, known := g.cells.hear(j, uint32(space.Get(&b.key, g.layout.cells[j])), i)
		if !known {
			return false
		}
		b.set(g.layout.cells[j], to)
	}
	return true
}

// restarted sets what the restart of node i, whose cell is n then, does to what a detector tells: nobody is told of that crash
// any more, and it is told which nodes are down.
func (g *graph[K]) restarted(b *seen[K], i int, n uint32) bool {
	for j := range g.c.Nodes {
		known, to := true, uint32(space.Get(&b.key, g.layout.cells[j]))
		switch {
		case j == i:
		case b.cells[j].down:
			n, known = g.cells.hear(i, n, j)
		default:
			to, known = g.cells.unhear(j, to, i)
			b.set(g.layout.cells[j], to)
		}
		if !known {
			return false
		}
	}
	b.set(g.layout.cells[i], n)
	return true
}

// expired sets the timers of all nodes after time d.
func (g *graph[K]) expired(b *seen[K], d uint64) bool {
	for j := range g.c.Nodes {
		to, known := g.cells.expire(j, uint32(space.Get(&b.key, g.layout.cells[j])), d)
		if !known {
			return false
		}
		b.set(g.layout.cells[j], to)
	}
	return true
}

// quiet reports whether a request is pending, if there are locks, no node is inside that it
// waits for and no message is in transit; and returns when the first timer is due.
func (g *graph[K]) quiet(b *seen[K]) (least uint64, quiet bool) {
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
func (g *graph[K]) stuck(b *seen[K]) bool {
	least, quiet := g.quiet(b)
	return quiet && least == never && g.locks && !g.restartable(b)
}

// restartable reports whether a node that is down may restart.
func (g *graph[K]) restartable(b *seen[K]) bool {
	return b.left[restartsLeft] > 0 && slices.ContainsFunc(b.cells, func(c *cell) bool { return c.down })
}

// setPhases sets the phases of the cells that there are.
func (g *graph[K]) setPhases() {
	for _, all := range g.cells.all {
		phases := make([]messaging.Phase, len(all))
		for n, c := range all {
			phases[n] = c.phase
		}
		g.phases = append(g.phases, phases)
	}
}

// failure returns the worst that is wrong in the last level, and the state of which; nil if nothing is.
func (g *graph[K]) failure() (at K, wrong error) {
	for k := range g.seen {
		if b := &g.seen[k]; b.wrong != nil && (wrong == nil || rank(b.wrong) < rank(wrong)) {
			wrong, at = b.wrong, b.wrongAt
		}
	}
	return at, wrong
}

func (g *graph[K]) tooWide() bool { return slices.Contains(g.wider[:], true) }
