package nodes

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"example.org/doorway/internal/conflict"
	"example.org/doorway/internal/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/internal/wrap"
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

// A field is the place of a part of a state in its key.
type field struct {
	word, shift uint8
	mask        uint64
}

// A layout places the cell of each node, the queue of each link, and the budgets, in a key.
type layout struct {
	cells []field
	links []field // by link; those that are not used have no bits
	used  []int   // the links that are
	left  [budgets]field
	words int
}

// newLayout returns a layout that has room for the cells and queues that there are, and
// for some more.
func (cs *cells) newLayout() (y layout) {
	at := 0
	lay := func(width int) field {
		if width == 0 {
			return field{}
		}
		if at%64+width > 64 {
			at += 64 - at%64
		}
		f := field{uint8(at / 64), uint8(at % 64), 1<<width - 1}
		at += width
		return f
	}
	for _, all := range cs.all {
		y.cells = append(y.cells, lay(bits.Len(uint(len(all)))+3))
	}
	for l, all := range cs.links {
		width := 0
		if len(all) > 1 {
			width = bits.Len(uint(len(all))) + 1
			y.used = append(y.used, l)
		}
		y.links = append(y.links, lay(width))
	}
	for b, most := range cs.c.budgets() {
		y.left[b] = lay(bits.Len(uint(most)))
	}
	y.words = (at + 63) / 64
	return y
}

func (c *Config) budgets() [budgets]int {
	return [budgets]int{c.Withdrawals, c.Crashes, c.Restarts, c.Losses, c.Duplicates, c.Suspicions}
}

// A graph is the states of nodes, and the events between them.
type graph[K space.Key] struct {
	*space.Space[K]
	layout

	c        *Config
	cells    *cells
	excludes conflict.Graph
	starts   bool // some node starts
	locks    bool // some node is an Exclusion
	scratch  space.Scratch

	seen   [space.Shards]seen
	wider  [space.Shards]bool // a cell has a number that a key has no room for
	root   K
	buffer seen // of everything that is asked later, by one goroutine at a time
}

// seen is what a worker looks at: a state, the next one, and the worst that it has found.
type seen struct {
	now, next []uint32 // the cells, then the queues
	left      [budgets]int
	last      [budgets]int // of next
	waiting   []messaging.ID
	inside    []messaging.ID
	view      view
	wrong     error
	ends      int // states in which nothing can happen but faults
	queue     int // the largest number of messages in transit on a link
}

func newGraph[K space.Key](c *Config, cs *cells, y layout) *graph[K] {
	g := &graph[K]{layout: y, c: c, cells: cs}
	for k := range g.seen {
		g.seen[k].make(c.Nodes)
	}
	g.buffer.make(c.Nodes)
	g.excludes = conflict.Of(c.Nodes, func(i messaging.ID) messaging.Node { return cs.nodes[i] })
	b := &g.buffer
	for i := range c.Nodes {
		_, lock := wrap.Innermost(cs.nodes[i]).(messaging.Exclusion)
		g.locks = g.locks || lock
		b.next[i] = cs.roots[i]
		g.starts = g.starts || cs.all[i][cs.roots[i]].fresh
	}
	b.last = c.budgets()
	g.pack(b, &g.root)
	g.Space = space.New(g.root, g, space.Options{
		Workers: c.Workers, Keep: true, Memory: c.Memory, Beside: func() int64 { return cs.bytes },
		Progress: func(states int, bytes int64) {
			if c.Progress != nil {
				c.Progress("states", states, bytes)
			}
		},
	})
	return g
}

func (b *seen) make(nodes int) {
	b.now, b.next = make([]uint32, nodes+nodes*nodes), make([]uint32, nodes+nodes*nodes)
}

// cell returns the cell of node i in the state of b.
func (g *graph[K]) cell(b *seen, i int) *cell { return g.cells.all[i][b.now[i]] }

// pack sets k to the next state of b, and reports whether it has room for it.
func (g *graph[K]) pack(b *seen, k *K) bool {
	*k = *new(K)
	fits := true
	for i, f := range g.layout.cells {
		fits = fits && uint64(b.next[i]) <= f.mask
		(*k)[f.word] |= uint64(b.next[i]) << f.shift
	}
	for l, n := range b.next[g.c.Nodes:] {
		if f := g.links[l]; n > 0 {
			fits = fits && uint64(n) <= f.mask
			(*k)[f.word] |= uint64(n) << f.shift
		}
	}
	for at, f := range g.left {
		(*k)[f.word] |= uint64(b.last[at]) << f.shift
	}
	return fits
}

// unpack sets the state of b to k.
func (g *graph[K]) unpack(k *K, b *seen) {
	for i, f := range g.layout.cells {
		b.now[i] = uint32((*k)[f.word] >> f.shift & f.mask)
	}
	for _, l := range g.used {
		f := g.links[l]
		b.now[g.c.Nodes+l] = uint32((*k)[f.word] >> f.shift & f.mask)
	}
	for at, f := range g.left {
		b.left[at] = int((*k)[f.word] >> f.shift & f.mask)
	}
}

// Steps implements [space.System].
func (g *graph[K]) Steps(k *K, shard int, out *space.Steps[K]) bool {
	b := &g.seen[shard]
	g.unpack(k, b)
	over := true
	known := g.each(b, func(l label) {
		over = over && l.what.fault()
		var next K
		switch {
		case l.err != nil:
			b.note(l.err)
			out.No(-1)
		case g.pack(b, &next):
			out.To(&next)
		default:
			g.wider[shard] = true
			out.No(-1)
		}
	})
	if !known {
		return false
	}
	if over {
		b.ends++
	}
	for _, l := range g.used {
		b.queue = max(b.queue, len(g.cells.links[l][b.now[g.c.Nodes+l]].messages))
	}
	b.note(g.wrong(b, over))
	return true
}

// Learn implements [space.System].
func (g *graph[K]) Learn(k *K) {
	g.cells.learning = true
	g.unpack(k, &g.buffer)
	g.each(&g.buffer, func(label) {})
	g.cells.learning = false
}

// note keeps the worst failure.
func (b *seen) note(err error) {
	if err != nil && (b.wrong == nil || rank(err) < rank(b.wrong)) {
		b.wrong = err
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
	link  int    // whose queue changes; -1: none
	queue uint32 // what it is then
}

// each calls f with the possible events in the state of b, where next is the state that
// each leads to. It returns false if that is not known.
func (g *graph[K]) each(b *seen, f func(l label)) bool {
	if g.starts {
		if i := g.fresh(b); i >= 0 {
			return g.cells.know(g.cell(b, i)) && g.all(b, i, g.cell(b, i).first, never, f)
		}
	}
	least := never
	if !g.c.AnyTime {
		var quiet bool
		if least, quiet = g.quiet(b); !quiet {
			least = -1
		}
	}
	for i := range g.c.Nodes {
		c := g.cell(b, i)
		if !g.cells.know(c) || !g.all(b, i, c.first, least, f) || !g.arrivals(b, i, c, f) || !g.all(b, i, c.last, least, f) {
			return false
		}
	}
	return true
}

// all is each of some moves of a node. Timers that are due until least may expire.
func (g *graph[K]) all(b *seen, i int, moves []move, least time.Duration, f func(l label)) bool {
	for at := range moves {
		m := &moves[at]
		if m.what == expires && !g.c.AnyTime && g.cell(b, i).due() > least {
			continue
		}
		if !g.one(b, label{i, m, -1, 0}, f) {
			return false
		}
	}
	return true
}

// arrivals is each of the messages to a node.
func (g *graph[K]) arrivals(b *seen, i int, c *cell, f func(l label)) bool {
	for from := range g.c.Nodes {
		l := g.cells.link(from, i)
		n := b.now[g.c.Nodes+l]
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
					if !g.one(b, label{i, &moves[at], l, h.rest}, f) {
						return false
					}
				}
			}
			if !c.down && (!g.one(b, label{i, &h.drop, l, h.rest}, f) || !g.one(b, label{i, &h.again, l, h.twice}, f)) {
				return false
			}
		}
	}
	return true
}

// one calls f with an event, if its budget permits it.
func (g *graph[K]) one(b *seen, l label, f func(l label)) bool {
	if budget := l.what.budget(); budget >= 0 && b.left[budget] == 0 {
		return true
	}
	if l.err == nil && !g.after(b, l) {
		return false
	}
	f(l)
	return true
}

// fresh returns the first node that has yet to start: it does so before anything else
// happens (see [messaging.Starter]); -1: none.
func (g *graph[K]) fresh(b *seen) int {
	for i := range g.c.Nodes {
		if g.cell(b, i).fresh {
			return i
		}
	}
	return -1
}

// after sets the next state of b to the one after an event. It returns false if that is
// not known.
func (g *graph[K]) after(b *seen, l label) bool {
	n := g.c.Nodes
	copy(b.next, b.now)
	b.last = b.left
	if budget := l.what.budget(); budget >= 0 {
		b.last[budget]--
	}
	all := true
	set := func(at int, to uint32, known bool) {
		b.next[at] = to
		all = all && known
	}
	switch {
	case l.what == drops || l.what == doubles:
		b.next[n+l.link] = l.queue
		return true
	case l.what == crashes && g.c.Detected:
		for j := range n {
			to, known := g.cells.hear(j, b.now[j], l.node)
			set(j, to, known)
		}
	case l.what == expires && !g.c.AnyTime:
		due := g.cell(b, l.node).due()
		for j := range n {
			to, known := g.cells.later(j, b.now[j], due)
			set(j, to, known)
		}
	}
	if l.what == crashes && g.c.Restarts == 0 { // it never receives anything again
		for j := range n {
			b.next[n+g.cells.link(j, l.node)] = 0
		}
	}
	b.next[l.node] = l.cell
	if l.link >= 0 {
		b.next[n+l.link] = l.queue
	}
	for _, mail := range l.mail {
		if g.c.Restarts > 0 || !g.cell(b, int(mail.to)).down {
			at := g.cells.link(l.node, int(mail.to))
			to, known := g.cells.push(at, b.next[n+at], mail.parcel)
			set(n+at, to, known)
		}
	}
	return all
}

// quiet reports whether a request is pending, if there are locks, no node is inside that it
// waits for and no message is in transit; and returns when the first timer is due.
func (g *graph[K]) quiet(b *seen) (least time.Duration, quiet bool) {
	least = never
	b.waiting, b.inside = b.waiting[:0], b.inside[:0]
	for _, l := range g.used {
		if b.now[g.c.Nodes+l] > 0 {
			return never, false
		}
	}
	for i := range g.c.Nodes {
		c := g.cell(b, i)
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
func (g *graph[K]) stuck(b *seen) bool {
	least, quiet := g.quiet(b)
	return quiet && least == never && g.locks && !g.restartable(b)
}

// restartable reports whether a node that is down may restart.
func (g *graph[K]) restartable(b *seen) bool {
	return b.left[restartsLeft] > 0 && g.anyDown(b)
}

func (g *graph[K]) anyDown(b *seen) bool {
	for i := range g.c.Nodes {
		if g.cell(b, i).down {
			return true
		}
	}
	return false
}

// wrong returns what is wrong in the state of b, in which nothing can happen any more, but
// faults, if over is set; or nil.
func (g *graph[K]) wrong(b *seen, over bool) error {
	if err := g.excluded(b); err != nil {
		return err
	}
	if g.c.Invariant != nil {
		if err := g.hold(b); err != nil {
			return err
		}
	}
	if g.c.Results != nil {
		return g.judge(b, over)
	}
	return nil
}

// excluded returns an error if two nodes are inside that exclude each other.
func (g *graph[K]) excluded(b *seen) error {
	for i := range g.c.Nodes {
		if g.cell(b, i).phase != messaging.Inside {
			continue
		}
		for j := range i {
			if g.cell(b, j).phase == messaging.Inside && g.excludes.Excludes(messaging.ID(i), messaging.ID(j)) {
				return fmt.Errorf("%w: %d and %d", history.Exclusion, j, i)
			}
		}
	}
	return nil
}

// judge returns an error if what the nodes have emitted is wrong.
func (g *graph[K]) judge(b *seen, over bool) error {
	o := messaging.Outcome{Emitted: make([][]any, g.c.Nodes), Over: over}
	for i := range g.c.Nodes {
		if g.cell(b, i).down {
			o.Down.Add(messaging.ID(i))
		}
		for _, v := range g.cell(b, i).emitted {
			o.Emitted[i] = append(o.Emitted[i], g.cells.messages[v])
		}
	}
	if err := g.c.Results(o); err != nil {
		return fmt.Errorf("%w: %w", history.Results, err)
	}
	return nil
}

// hold returns an error if the invariant is violated. It is not held before all nodes have
// started.
func (g *graph[K]) hold(b *seen) error {
	if g.starts && g.fresh(b) >= 0 {
		return nil
	}
	b.view.nodes = slices.Grow(b.view.nodes[:0], g.c.Nodes)[:g.c.Nodes]
	clear(b.view.nodes)
	b.view.transit = b.view.transit[:0]
	for i := range g.c.Nodes {
		if c := g.cell(b, i); !c.down {
			b.view.nodes[i] = g.cells.decoded[c.position]
		}
	}
	for to := range g.c.Nodes {
		for from := range g.c.Nodes {
			l := g.cells.link(from, to)
			for _, m := range g.cells.links[l][b.now[g.c.Nodes+l]].messages {
				if b.view.nodes[to] != nil {
					b.view.transit = append(b.view.transit, messaging.Event{From: messaging.ID(from), To: messaging.ID(to), Message: g.cells.messages[m]})
				}
			}
		}
	}
	if err := g.c.Invariant(b.view.nodes, b.view.transit); err != nil {
		return fmt.Errorf("%w: %w", history.Invariant, err)
	}
	return nil
}

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event
}

// failure returns the worst that is wrong in the last level; nil if nothing is.
func (g *graph[K]) failure() error {
	var all seen
	for k := range g.seen {
		all.note(g.seen[k].wrong)
	}
	return all.wrong
}

func (g *graph[K]) tooWide() bool { return slices.Contains(g.wider[:], true) }
