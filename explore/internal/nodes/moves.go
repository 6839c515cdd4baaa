package nodes

import (
	"cmp"
	"slices"

	"example.org/doorway/messaging"
)

// know computes the possible events at a node but for messages, regardless of other nodes,
// if they are learned. Whether a timer may expire now,
// and whether there may be another fault or another request may be aborted, depends on the
// global state.
func (cs *cells) know(b *seen, c *cell) {
	if !c.known && cs.learns(b) {
		cs.learn(c)
	}
}

// learns reports whether what is not known is computed. Otherwise it is noted in b that something is
// not, and what then follows in b says nothing.
func (cs *cells) learns(b *seen) bool {
	b.unknown = b.unknown || !cs.learning
	return cs.learning
}

func (cs *cells) learn(c *cell) {
	c.known = true
	switch {
	case c.fresh:
		started := c.changed()
		started.fresh = false
		cs.move(&c.first, c, started, input{what: starts})
	case c.down:
		cs.restart(c)
		cs.input(c)
	default:
		cs.actions(c)
		cs.input(c)
		cs.hearings(c)
		cs.expiries(c)
		if cs.mayCrash(c) {
			cs.crash(c)
		}
	}
}

// mayCrash reports whether a node may crash in a phase such as it is in.
func (cs *cells) mayCrash(c *cell) bool {
	at := cs.positions[c.position].node
	return cs.c.Crashes > 0 && (cs.c.CrashOf == nil || slices.Contains(cs.c.CrashOf, at)) &&
		(cs.c.CrashIn == nil || slices.Contains(cs.c.CrashIn, c.phase))
}

// receive returns what can happen when a message arrives at a node.
func (cs *cells) receive(b *seen, c *cell, from messaging.ID, message uint32) []move {
	for k := range c.receipts {
		if r := &c.receipts[k]; r.message == message && r.from == from {
			return r.moves
		}
	}
	if !cs.learns(b) {
		return nil
	}
	what := gets
	if c.down {
		what = discards
	}
	r := receipt{from: from, message: message}
	cs.move(&r.moves, c, c, input{what, from, message})
	c.receipts = append(c.receipts, r)
	return r.moves
}

// heads returns the messages of queue n of link l that may arrive, be lost or arrive
// twice.
func (cs *cells) heads(b *seen, l int, n uint32) []head {
	q := cs.links[l][n]
	if q.heads != nil || !cs.learns(b) {
		return q.heads
	}
	from := messaging.ID(l / cs.c.Nodes)
	for k, m := range q.messages {
		if k > 0 && (q.messages[k-1] == m || !cs.c.Unordered && cs.c.Losses+cs.c.Duplicates == 0) {
			continue
		}
		h := head{message: m, arrives: k == 0 || cs.c.Unordered}
		h.rest = cs.queue(l, slices.Delete(slices.Clone(q.messages), k, k+1))
		for at := len(q.messages); cs.c.Duplicates > 0 && at > k; at-- { // package sim repeats the last
			if at == len(q.messages) || !cs.c.Unordered && q.messages[at] != m { // else it is the same behind that
				h.twice = append(h.twice, cs.queue(l, slices.Insert(slices.Clone(q.messages), at, m)))
			}
		}
		h.drop = move{outcome: &outcome{input: input{drops, from, m}}, what: drops}
		h.again = move{outcome: &outcome{input: input{doubles, from, m}}, what: doubles}
		q.heads = append(q.heads, h)
	}
	return q.heads
}

func (cs *cells) actions(c *cell) {
	switch c.phase {
	case messaging.Idle, messaging.Absorbing:
		if c.left != 0 {
			asked := c.changed()
			if c.left > 0 {
				asked.left--
			}
			cs.move(&c.first, c, asked, input{what: asks})
		}
	case messaging.Inside:
		cs.move(&c.first, c, c, input{what: leaves})
	case messaging.Waiting:
		if cs.c.Withdrawals > 0 {
			cs.move(&c.first, c, c, input{what: givesUp})
		}
	}
}

// input adds the next input of the user of a node, which is lost if that is down.
func (cs *cells) input(c *cell) {
	at := cs.positions[c.position].node
	if cs.c.Inputs == nil || c.given == len(cs.c.Inputs[at]) {
		return
	}
	then, what := c.changed(), given
	if c.down {
		what = misses
	}
	then.given++
	cs.move(&c.first, c, then, input{what, at, cs.message(cs.c.Inputs[at][c.given])})
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
			cs.move(&c.last, c, heard, input{what: hears, from: j})
		} else if cs.c.Suspicions > 0 && j != at {
			cs.move(&c.last, c, c, input{what: suspects, from: j})
		}
	}
}

// move adds the moves of c for an input; then is c after the input, without the
// effects of the node.
func (cs *cells) move(to *[]move, c, then *cell, in input) {
	for _, o := range cs.handle(visit{c.position, in}) {
		if o.err != nil {
			*to = append(*to, move{outcome: o, what: in.what})
			continue
		}
		after := then.changed()
		after.position = o.position
		after.timers = cs.merge(after.timers, o.timers)
		after.emitted = slices.Concat(after.emitted, o.emits)
		*to = append(*to, move{o, cs.number(after), in.what})
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
// expire, and it is as it will be when it restarts.
func (cs *cells) crash(c *cell) {
	then := c.changed()
	then.down, then.timers, then.notices = true, nil, 0
	if cs.c.Restarts == 0 {
		then.left = 0
		if cs.c.Inputs != nil {
			then.given = len(cs.c.Inputs[cs.positions[c.position].node])
		}
	}
	cs.move(&c.last, c, then, input{what: crashes})
}

// restart adds the restart of a node that is down.
func (cs *cells) restart(c *cell) {
	if cs.c.Restarts > 0 {
		then := c.changed()
		then.down = false
		cs.move(&c.last, c, then, input{what: restarts})
	}
}

// expiries adds the expiry of each timer that may be due first. With AnyTime, only the order in which
// the timers of a node were set and how long they run are known, not how much time has
// passed: one that was set before another and runs no longer is due before it.
func (cs *cells) expiries(c *cell) {
	for k, t := range c.timers {
		if slices.ContainsFunc(c.timers[:k], func(earlier pending) bool { return earlier.after <= t.after }) {
			continue
		}
		then := c.changed()
		then.timers = slices.Delete(slices.Clone(c.timers), k, k+1)
		for i := range then.timers {
			if !cs.c.AnyTime {
				then.timers[i].after -= t.after
			}
		}
		cs.move(&c.last, c, then, input{expires, cs.positions[c.position].node, t.message})
	}
}
