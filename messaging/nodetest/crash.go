package nodetest

import (
	"slices"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// crash adds the crash of a node: its user has no request afterwards, its timers never
// expire, and it is as it will be when it restarts. Messages to it stay in transit, unless
// no node can restart.
func (cs *cells) crash(c *cell) {
	then := c.changed()
	then.down, then.timers = true, nil
	if cs.c.Restarts == 0 {
		clear(then.mail)
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

// remains returns the position in which a node restarts that crashes.
func (cs *cells) remains(at position) uint32 {
	crashed := cs.node(at)
	if err := state.Restore(crashed, []byte(at.state)); err != nil {
		fail(errState, "of node %d: %v", at.node, err)
	}
	made := func(messaging.Start) messaging.Node { return crashed }
	site := messaging.NewSite(func(start messaging.Start) messaging.Node { return made(start) }, cs.start(at.node), nil)
	made = cs.algorithm
	site.Restart()
	return cs.position(at.node, true, messaging.Idle, site.Node())
}

// node returns the node that has the states of a position.
func (cs *cells) node(at position) messaging.Node {
	if !at.again {
		return cs.nodes[at.node]
	}
	if cs.again[at.node] == nil {
		start := cs.start(at.node)
		start.Restarted = true
		cs.again[at.node] = cs.algorithm(start)
	}
	return cs.again[at.node]
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
