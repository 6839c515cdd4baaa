package cluster

import (
	"slices"
	"time"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// An expiry is a timer that has expired and is in transit. It travels from its node to
// every other node and back, as a message on these links that no node sees, and is
// delivered when it is back from all of them.
//
// So it arrives after all messages that its node had sent when the timer expired, and
// after the immediate answers of the receivers. To nodes, silence from one timer to
// the next means what it means with bounded message delays: there is no answer. If
// timers were delivered when they expire, a node that is merely slow, because it has
// no processor or the garbage collector runs, would be suspected.
type expiry struct {
	node    messaging.ID
	message messaging.Message
	cause   uint64 // the number of the event on which it was set, if there is an observer
	life    uint64 // of the node when it was set
	out     int    // the number that are not back; accessed only by the owner of the node
}

// A running is a timer of a node that runs.
type running struct {
	due time.Time
	*expiry
}

// setTimers starts the timers that node m has set on the event of that number.
//
// Timers of a node expire in the order in which they are due, and those that are due at the
// same time in the order of setting. The runtime starts the functions of several that are due
// in any order; so each of these takes the first timer that runs, which is due as well.
func (c *Cluster) setTimers(m *member, timers []host.Timer, cause uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return
	}
	life := m.life.Load()
	now := time.Now() // for all, since a handler takes no time
	for _, t := range timers {
		due := now.Add(t.After)
		k := len(m.timers)
		for k > 0 && m.timers[k-1].due.After(due) {
			k--
		}
		m.timers = slices.Insert(m.timers, k, running{due, &expiry{node: m.id, message: t.Message, cause: cause, life: life}})
		c.own.Add(1)
		var timer *time.Timer
		timer = time.AfterFunc(t.After, func() {
			defer c.own.Done()
			r := c.newRunner()
			c.mu.Lock()
			delete(c.pending, timer)
			c.expire(r, m, life)
			c.mu.Unlock()
			r.runAll()
		})
		c.pending[timer] = m
	}
}

// expire posts the first timer that runs to node m, which set it in that life. If the node has
// crashed since, none of these runs. The caller holds c.mu.
func (c *Cluster) expire(r *runner, m *member, life uint64) {
	if m.life.Load() != life {
		return
	}
	first := m.timers[0].expiry
	m.timers = slices.Delete(m.timers, 0, 1)
	r.post(m, delivery{user, first, 0}) // before the next one is
}

// stopTimers stops the timers of node m, which has crashed.
func (c *Cluster) stopTimers(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(m.timers) // for the garbage collector
	m.timers = m.timers[:0]
	for t, owner := range c.pending {
		if owner == m && t.Stop() {
			delete(c.pending, t)
			c.own.Done()
		}
	}
}

// forward handles e, which m has received: it sends e on, or reports that e is back from all
// nodes, and its node has not crashed since it set the timer. It passes through nodes that are
// down. r must own m.
func (r *runner) forward(e *expiry, m *member, from messaging.ID) bool {
	switch {
	case e.node != m.id:
		r.post(&r.cluster.members[e.node], delivery{m.id, e, 0})
		return false
	case e.life != m.life.Load():
		return false
	case from == user: // it has just expired
		e.out = len(r.cluster.members) - 1
		for k := range r.cluster.members {
			if to := &r.cluster.members[k]; to != m {
				r.post(to, delivery{m.id, e, 0})
			}
		}
	default:
		e.out--
	}
	return e.out == 0
}
