package nodes

import (
	"cmp"
	"slices"

	"example.org/doorway/messaging"
)

// moves returns the possible events at a node, regardless of other nodes, and whether they
// are known. Whether a timer may expire now, and whether there may be another fault or
// another request may be aborted, depends on the global state.
func (cs *cells) moves(n uint32) ([]move, bool) {
	c := cs.all[n]
	if c.known || !cs.learning {
		return c.moves, c.known
	}
	c.known = true
	switch {
	case c.fresh:
		started := c.changed()
		started.fresh = false
		cs.move(c, started, input{what: starts})
	case c.down:
		cs.deliveries(c, discards)
		cs.restart(c)
	default:
		cs.actions(c)
		cs.deliveries(c, gets)
		cs.hearings(c)
		if cs.c.AnyTime {
			cs.expiries(c)
		} else if len(c.timers) > 0 {
			cs.expiry(c)
		}
		if cs.c.Crashes > 0 && (cs.c.CrashIn == nil || slices.Contains(cs.c.CrashIn, c.phase)) {
			cs.crash(c)
		}
	}
	return c.moves, true
}

func (cs *cells) actions(c *cell) {
	switch c.phase {
	case messaging.Idle, messaging.Absorbing:
		if c.left != 0 {
			asked := c.changed()
			if c.left > 0 {
				asked.left--
			}
			cs.move(c, asked, input{what: asks})
		}
	case messaging.Inside:
		cs.move(c, c, input{what: leaves})
	case messaging.Waiting:
		if cs.c.Withdrawals > 0 {
			cs.move(c, c, input{what: givesUp})
		}
	}
}

// deliveries adds the deliveries of the first message of each link, or of each distinct
// one if links are unordered; and that a message is lost or duplicated.
func (cs *cells) deliveries(c *cell, what cause) {
	for j, queue := range c.mail {
		from := messaging.ID(j)
		for k, m := range queue {
			if k > 0 && cs.c.Unordered && queue[k-1] == m {
				continue
			}
			without := c.changed()
			without.mail[j] = slices.Delete(slices.Clone(queue), k, k+1)
			if k == 0 || cs.c.Unordered {
				cs.move(c, without, input{what, from, m})
			}
			if what == discards {
				continue
			}
			if cs.c.Losses > 0 {
				cs.move(c, without, input{drops, from, m})
			}
			if cs.c.Duplicates > 0 {
				twice := c.changed()
				twice.mail[j] = append(slices.Clone(queue), m)
				if cs.c.Unordered {
					slices.Sort(twice.mail[j])
				}
				cs.move(c, twice, input{doubles, from, m})
			}
		}
	}
}

// hearings adds that a node hears of a crash, or suspects a node.
func (cs *cells) hearings(c *cell) {
	at := cs.positions[c.position].node
	if _, survives := messaging.As[messaging.Survivor](cs.nodes[at]); !survives {
		return
	}
	for j := range messaging.ID(cs.c.Nodes) {
		if c.notices>>j&1 == 1 {
			heard := c.changed()
			heard.notices &^= 1 << j
			cs.move(c, heard, input{what: hears, from: j})
		} else if cs.c.Suspicions > 0 && j != at {
			cs.move(c, c, input{what: suspects, from: j})
		}
	}
}

func (cs *cells) expiry(c *cell) {
	first := c.timers[0]
	then := c.changed()
	then.timers = slices.Clone(c.timers[1:])
	for k := range then.timers {
		then.timers[k].after -= first.after
	}
	cs.move(c, then, input{expires, cs.positions[c.position].node, first.message})
}

// move adds the moves of c for an input; then is c after the input, without the
// effects of the node.
func (cs *cells) move(c, then *cell, in input) {
	for _, o := range cs.handle(visit{c.position, in}) {
		if o.err != nil {
			c.moves = append(c.moves, move{outcome: o, what: in.what})
			continue
		}
		after := then.changed()
		after.position = o.position
		after.timers = cs.merge(after.timers, o.timers)
		after.emitted = slices.Concat(after.emitted, o.emits)
		c.moves = append(c.moves, move{o, cs.number(after), in.what})
	}
}

// merge merges set into timers, after those that are due at the same time.
func (cs *cells) merge(timers, set []pending) []pending {
	if len(set) == 0 {
		return timers
	}
	timers = slices.Concat(timers, set)
	if cs.c.AnyTime {
		return timers
	}
	slices.SortStableFunc(timers, func(s, t pending) int { return cmp.Compare(s.after, t.after) })
	return timers
}

// crash adds the crash of a node: its user has no request afterwards, its timers never
// expire, and it is as it will be when it restarts. Messages to it stay in transit, unless
// no node can restart.
func (cs *cells) crash(c *cell) {
	then := c.changed()
	then.down, then.timers, then.notices = true, nil, 0
	if cs.c.Restarts == 0 {
		clear(then.mail)
		then.left = 0
	}
	cs.move(c, then, input{what: crashes})
}

// restart adds the restart of a node that is down.
func (cs *cells) restart(c *cell) {
	if cs.c.Restarts > 0 {
		then := c.changed()
		then.down = false
		cs.move(c, then, input{what: restarts})
	}
}

// expiries adds the expiry of each timer that may be due first. Only the order in which
// the timers of a node were set and how long they run are known, not how much time has
// passed: one that was set before another and runs no longer is due before it.
func (cs *cells) expiries(c *cell) {
	for k, t := range c.timers {
		if slices.ContainsFunc(c.timers[:k], func(earlier pending) bool { return earlier.after <= t.after }) {
			continue
		}
		then := c.changed()
		then.timers = slices.Delete(slices.Clone(c.timers), k, k+1)
		cs.move(c, then, input{expires, cs.positions[c.position].node, t.message})
	}
}
