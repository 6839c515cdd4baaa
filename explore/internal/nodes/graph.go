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

// A layout places the cell of each node, and the budgets, in a key.
type layout struct {
	cells []field
	left  [budgets]field
	words int
}

// newLayout returns the layout for cells of as many bits.
func (c *Config) newLayout(width int) (y layout) {
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
	for range c.Nodes {
		y.cells = append(y.cells, lay(width))
	}
	for b, most := range c.budgets() {
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
	now, next []uint32
	left      [budgets]int
	last      [budgets]int // of next
	waiting   []messaging.ID
	inside    []messaging.ID
	view      view
	wrong     error
}

func newGraph[K space.Key](c *Config, cs *cells, y layout) *graph[K] {
	g := &graph[K]{layout: y, c: c, cells: cs}
	for k := range g.seen {
		g.seen[k].now, g.seen[k].next = make([]uint32, c.Nodes), make([]uint32, c.Nodes)
	}
	g.buffer.now, g.buffer.next = make([]uint32, c.Nodes), make([]uint32, c.Nodes)
	g.excludes = conflict.Of(c.Nodes, func(i messaging.ID) messaging.Node { return cs.nodes[i] })
	b := &g.buffer
	for i := range c.Nodes {
		_, lock := wrap.Innermost(cs.nodes[i]).(messaging.Exclusion)
		g.locks = g.locks || lock
		b.next[i] = cs.roots[i]
		g.starts = g.starts || cs.all[b.next[i]].fresh
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

// pack sets k to the next state of b, and reports whether it has room for it.
func (g *graph[K]) pack(b *seen, k *K) bool {
	*k = *new(K)
	fits := true
	for i, f := range g.layout.cells {
		fits = fits && uint64(b.next[i]) <= f.mask
		(*k)[f.word] |= uint64(b.next[i]) << f.shift
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
	for at, f := range g.left {
		b.left[at] = int((*k)[f.word] >> f.shift & f.mask)
	}
}

// Steps implements [space.System].
func (g *graph[K]) Steps(k *K, shard int, out *space.Steps[K]) bool {
	b := &g.seen[shard]
	g.unpack(k, b)
	over := true
	known := g.each(b, func(_ int, m *move) {
		over = over && m.what.fault()
		if m.err != nil {
			b.note(m.err)
			out.No(-1)
			return
		}
		var next K
		if !g.pack(b, &next) {
			g.wider[shard] = true
		}
		out.To(&next)
	})
	if known {
		b.note(g.wrong(b, over))
	}
	return known
}

// Learn implements [space.System].
func (g *graph[K]) Learn(k *K) {
	g.cells.learning = true
	g.unpack(k, &g.buffer)
	g.each(&g.buffer, func(int, *move) {})
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

// each calls f with the possible events in the state of b, where next is the state that
// each leads to. It returns false if that is not known.
func (g *graph[K]) each(b *seen, f func(i int, m *move)) bool {
	if g.starts {
		if i := g.fresh(b.now); i >= 0 {
			return g.eachOf(b, i, never, f)
		}
	}
	least, quiet := time.Duration(never), g.c.AnyTime
	if !quiet {
		least, quiet = g.quiet(b)
	}
	if !quiet {
		least = -1
	}
	for i := range b.now {
		if !g.eachOf(b, i, least, f) {
			return false
		}
	}
	return true
}

// eachOf is each of node i. Timers that are due until least may expire.
func (g *graph[K]) eachOf(b *seen, i int, least time.Duration, f func(i int, m *move)) bool {
	moves, known := g.cells.moves(b.now[i])
	if !known {
		return false
	}
	for at := range moves {
		m := &moves[at]
		if m.what == expires && !g.c.AnyTime && g.cells.all[b.now[i]].due() > least {
			continue
		}
		if budget := m.what.budget(); budget >= 0 && b.left[budget] == 0 {
			continue
		}
		if m.err == nil && !g.after(b, i, m) {
			return false
		}
		f(i, m)
	}
	return true
}

// fresh returns the first node that has yet to start: it does so before anything else
// happens (see [messaging.Starter]); -1: none.
func (g *graph[K]) fresh(now []uint32) int {
	return slices.IndexFunc(now, func(cell uint32) bool { return g.cells.all[cell].fresh })
}

// after sets the next state of b to the one after a move of node i. It returns false if
// that is not known.
func (g *graph[K]) after(b *seen, i int, m *move) bool {
	copy(b.next, b.now)
	b.last = b.left
	if budget := m.what.budget(); budget >= 0 {
		b.last[budget]--
	}
	all := true
	set := func(j int, cell uint32, known bool) {
		b.next[j] = cell
		all = all && known
	}
	switch {
	case m.what == crashes && g.c.Detected:
		for j := range b.next {
			cell, known := g.cells.hear(b.next[j], i)
			set(j, cell, known)
		}
	case m.what == expires && !g.c.AnyTime:
		due := g.cells.all[b.now[i]].due()
		for j := range b.next {
			cell, known := g.cells.later(b.next[j], due)
			set(j, cell, known)
		}
	}
	if !all {
		return false
	}
	b.next[i] = m.cell
	for _, mail := range m.mail {
		cell, known := g.cells.push(b.next[mail.to], mail.parcel)
		if !known {
			return false
		}
		b.next[mail.to] = cell
	}
	return true
}

// quiet reports whether a request is pending, if there are locks, no node is inside that it
// waits for and no message is in transit; and returns when the first timer is due.
func (g *graph[K]) quiet(b *seen) (least time.Duration, quiet bool) {
	least = never
	b.waiting, b.inside = b.waiting[:0], b.inside[:0]
	for i, cell := range b.now {
		c := g.cells.all[cell]
		switch {
		case c.under > 0, c.notices != 0, c.phase == messaging.Inside && g.excludes.Complete():
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
	return b.left[restartsLeft] > 0 && slices.ContainsFunc(b.now, func(cell uint32) bool { return g.cells.all[cell].down })
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
	for i, cell := range b.now {
		if g.cells.all[cell].phase != messaging.Inside {
			continue
		}
		for j := range i {
			if g.cells.all[b.now[j]].phase == messaging.Inside && g.excludes.Excludes(messaging.ID(i), messaging.ID(j)) {
				return fmt.Errorf("%w: %d and %d", history.Exclusion, j, i)
			}
		}
	}
	return nil
}

// judge returns an error if what the nodes have emitted is wrong.
func (g *graph[K]) judge(b *seen, over bool) error {
	emitted := make([][]any, g.c.Nodes)
	for i, cell := range b.now {
		for _, v := range g.cells.all[cell].emitted {
			emitted[i] = append(emitted[i], g.cells.messages[v])
		}
	}
	if err := g.c.Results(emitted, over); err != nil {
		return fmt.Errorf("%w: %w", history.Results, err)
	}
	return nil
}

// hold returns an error if the invariant is violated. It is not held before all nodes have
// started.
func (g *graph[K]) hold(b *seen) error {
	if g.starts && g.fresh(b.now) >= 0 {
		return nil
	}
	b.view.nodes = slices.Grow(b.view.nodes[:0], g.c.Nodes)[:g.c.Nodes]
	clear(b.view.nodes)
	b.view.transit = b.view.transit[:0]
	for i, number := range b.now {
		c := g.cells.all[number]
		if c.down {
			continue
		}
		b.view.nodes[i] = g.cells.decoded[c.position]
		for from, queue := range c.mail {
			for _, m := range queue {
				b.view.transit = append(b.view.transit, messaging.Event{From: messaging.ID(from), To: messaging.ID(i), Message: g.cells.messages[m]})
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
