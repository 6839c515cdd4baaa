package nodes

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// Logical clocks grow with the requests. If these have no bound, a state stands for all
// that differ from it only by a common shift of all times: after each event, the times are
// made earlier, so that the least one is 1. That is exact if the nodes do the same at
// later times, later: then each run of one state is, event by event, one of the other. So
// each handler is repeated at later times, for each state of its node and each input; see
// certify.
//
// A [messaging.Time] of 0 is none, and remains 0. A [messaging.Clock] of 0 has not ticked
// yet, and nothing is shifted until all have. So shifts of the times in a
// state do not depend on the run that led there.

// Nothing is shifted if there are Results, or Inputs with times: these count.

// inputsTimed reports whether an input has a time.
func (c *Config) inputsTimed() bool {
	for _, of := range c.Inputs {
		if slices.ContainsFunc(of, func(m messaging.Message) bool { return leastOf(m) != noTime }) {
			return true
		}
	}
	return false
}

// noTime is the least time of what has none.
const noTime messaging.Time = math.MaxUint64

// leastOf returns the least time in v, a node or a message. It is 1 if a clock has not
// ticked: that prevents shifts, too.
func leastOf(v any) messaging.Time {
	least := noTime
	state.Times(v, func(t messaging.Time, clock bool) {
		if t > 0 || clock {
			least = min(least, max(t, 1))
		}
	})
	return least
}

// leastOfCell returns the least time of a node and its timers. A node that never restarts
// has none.
func (cs *cells) leastOfCell(c *cell) messaging.Time {
	if c.down && cs.c.Restarts == 0 {
		return noTime
	}
	least := cs.positions[c.position].least
	for _, t := range c.timers {
		least = min(least, cs.leasts[t.message])
	}
	return least
}

// laterBy returns the mapping of all times to later ones; nil if by is 0. Differences are
// modulo 2^64, so by may be negative. If times are ranked, by is the number of a ranking,
// here and elsewhere.
func (cs *cells) laterBy(by messaging.Time) func(t messaging.Time, clock bool) messaging.Time {
	switch {
	case by == 0:
		return nil
	case cs.ranked:
		return cs.rankings[by].later
	}
	return func(t messaging.Time, clock bool) messaging.Time {
		if t > 0 || clock {
			t += by
		}
		return t
	}
}

// letterLater returns m, which may be nil, with all times later.
func (cs *cells) letterLater(m messaging.Message, by messaging.Time) messaging.Message {
	if by == 0 || m == nil || state.CheckMessage(m) != nil {
		return m
	}
	return state.MapMessage(m, cs.laterBy(by))
}

// stateLater returns the encoded state of a node in a position, with all times later.
func (cs *cells) stateLater(at position, by messaging.Time) string {
	if by == 0 || at.least == noTime {
		return at.state
	}
	return string(state.AppendMapped(nil, cs.node(at, 0), cs.laterBy(by)))
}

// positionLater returns position n with all times later.
func (cs *cells) positionLater(n uint32, by messaging.Time) uint32 {
	at := cs.positions[n]
	if by == 0 || at.least == noTime {
		return n
	}
	return cs.position(at.node, at.again, at.phase, cs.node(at, 0), by)
}

// messageLater returns message n with all times later.
func (cs *cells) messageLater(n uint32, by messaging.Time) uint32 {
	if by == 0 || cs.leasts[n] == noTime {
		return n
	}
	return cs.message(cs.letterLater(cs.messages[n], by))
}

// later returns cell n of node i with all times later.
func (cs *cells) later(b *seen, i int, n uint32, by messaging.Time) uint32 {
	c := cs.all[i][n]
	if c.least == noTime {
		return n
	}
	return cs.consequence(b, &c.then, 1<<62|uint64(by)&(1<<62-1), func() uint32 {
		then := c.changed()
		then.position = cs.positionLater(c.position, by)
		then.timers = slices.Clone(c.timers)
		for k := range then.timers {
			then.timers[k].message = cs.messageLater(then.timers[k].message, by)
		}
		return cs.number(then)
	})
}

// queueLater is later for queue n of link l.
func (cs *cells) queueLater(b *seen, l int, n uint32, by messaging.Time) uint32 {
	q := cs.links[l][n]
	if q.least == noTime {
		return n
	}
	return cs.consequence(b, &q.then, 1<<62|uint64(by)&(1<<62-1), func() uint32 {
		then := slices.Clone(q.messages)
		for k := range then {
			then[k] = cs.messageLater(then[k], by)
		}
		return cs.queue(l, then)
	})
}

// normalize makes all times of the next state of b earlier, so that the least one is 1, and
// sets the shift of l.
func (g *graph) normalize(b *seen, l *label) {
	if g.cells.ranked {
		g.rank(b, l)
		return
	}
	l.shift = 0
	least := noTime
	for i, f := range g.layout.cells {
		if least = min(least, g.cells.all[i][f.Of(b.next)].least); least == 1 {
			return
		}
	}
	for _, k := range g.used {
		if least = min(least, g.cells.links[k][g.links[k].Of(b.next)].least); least == 1 {
			return
		}
	}
	if least != noTime {
		l.shift = least - 1
		g.shiftNext(b, -l.shift)
	}
}

// shiftNext makes all times of the next state of b later.
func (g *graph) shiftNext(b *seen, by messaging.Time) {
	for i, f := range g.layout.cells {
		b.set(f, g.cells.later(b, i, uint32(f.Of(b.next)), by))
	}
	for _, k := range g.used {
		b.set(g.links[k], g.cells.queueLater(b, k, uint32(g.links[k].Of(b.next)), by))
	}
}

// timed reports whether an input is a message that has a time. It cannot remain in transit
// while times are shifted again and again.
func (cs *cells) timed(in input) bool {
	return in.what >= gets && cs.leasts[in.message] != noTime && (!cs.ranked || in.what != gets)
}

// errValue is that states cannot be explored up to shifts.
var errValue = errors.New("it depends on the value of a time, or on something that is no state")

// Each input is repeated with all times later by 1, by farLater, and by one of the
// differences; and then each by more of them, as many as repetitions allows. These are the
// small ones, those around the powers of two at which narrower integers overflow and around round
// decimal numbers, and some up to 2^20. It is
// a test: what a node does at few times only may escape it.
const (
	farLater messaging.Time = 1 << 40
	smallest                = 2
	small                   = 4096
	spread                  = 1024
	around                  = 8
)

var repetitions = 1 << 17

var widths = []int{7, 8, 15, 16, 31, 32, 48, 63}

// ends are the differences around which there are some, and differences is how many there are.
var (
	ends        = findEnds()
	differences = len(ends)*around + small + spread
)

func findEnds() (all []messaging.Time) {
	for _, w := range widths {
		all = append(all, 1<<w)
	}
	for ten := messaging.Time(1000); ten <= 1e9; ten *= 10 {
		all = append(all, ten, 2*ten, 5*ten)
	}
	return all
}

// difference returns the nth of them.
func difference(n int) messaging.Time {
	n %= differences
	switch of := n - len(ends)*around; {
	case of < 0:
		return ends[n%len(ends)] - messaging.Time(n/len(ends))
	case of < small:
		return messaging.Time(of + smallest)
	default: // spread over four digits and more
		return smallest + messaging.Time(of)*2654435761>>(8+of%16)&(1<<20-1)
	}
}

// certify repeats an input at later times, and sets the error of an outcome that is not
// the same, later.
func (cs *cells) certify(v visit, all []*outcome) {
	before := cs.timesBefore(v)
	for _, o := range all {
		if o.err != nil && !errors.Is(o.err, history.Panic) {
			continue // which is no verdict
		}
		for n, by := range []messaging.Time{1, farLater, difference(len(cs.visits))} {
			if cs.ranked {
				by = cs.sample(before, n*(len(cs.visits)+1))
			}
			if err := cs.commutes(v, o, by); err != nil {
				o.err = err
				break
			}
		}
	}
}

// certifyMore repeats each input with more differences, others than the input of its sort before.
func (cs *cells) certifyMore() error {
	visits := cs.distinct()
	if !cs.shifts || len(visits) == 0 {
		return nil
	}
	each, tried := min(repetitions/len(visits), differences), map[string]int{}
	if cs.ranked {
		each = min(max(few, repetitions/len(visits)), enough)
	}
	for _, v := range visits {
		if cs.positions[v.position].least == noTime && (v.input.what < gets || cs.leasts[v.input.message] == noTime) {
			continue // nothing is later
		}
		before := cs.timesBefore(v)
		for _, o := range cs.outcomes[v] {
			if o.err != nil {
				continue
			}
			sort := cs.sort(o)
			for range each {
				by := difference(tried[sort])
				if cs.ranked {
					by = cs.sample(before, tried[sort])
				}
				if err := cs.commutes(v, o, by); err != nil {
					return err
				}
				tried[sort]++
			}
		}
	}
	return nil
}

// commutes returns an error if an outcome is not the same at later times, later. What a
// node does before its clock has ticked is never shifted, nor is it if it never restarts.
func (cs *cells) commutes(v visit, o *outcome, by messaging.Time) error {
	at := cs.positions[v.position]
	if v.input.what == crashes && cs.c.Restarts == 0 || at.unticked && !cs.ranked {
		return nil
	}
	is := cs.repeat(o, nil, by)
	if is == "" {
		return nil
	}
	return fmt.Errorf("NodesConfig.Rounds is Unbounded, and %s is not as it must be then: %w: %s in state %s: it did %s, but with all times later by %d, %s",
		named(at.node), errValue, cs.event(at.node, o.input, 0), cs.show(at, 0), cs.did(o, 0), by, is)
}

// unticked reports whether a clock of a node has not ticked.
func unticked(node messaging.Node) (zero bool) {
	state.Times(node, func(t messaging.Time, clock bool) { zero = zero || clock && t == 0 })
	return zero
}

// errorLater returns the error of l, as it is at later times.
func (cs *cells) errorLater(l label) error {
	if l.since == 0 || errors.Is(l.err, errValue) {
		return l.err
	}
	node := cs.node(cs.positions[l.before], l.since)
	o := &outcome{input: l.input, before: l.before}
	cs.react(o, &node, l.since, &branch{choices: slices.Clone(l.choices)}, func(position) {})
	return o.err
}
