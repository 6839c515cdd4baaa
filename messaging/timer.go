package messaging

import (
	"slices"
	"time"
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
	of      ID
	message Message
	cause   uint64 // the number of the event on which it was set, if there is an observer
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
func (c *Cluster) setTimers(m *member, timers []Timer, cause uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return
	}
	now := time.Now() // for all, since a handler takes no time
	for _, t := range timers {
		due := now.Add(t.After)
		k := len(m.timers)
		for k > 0 && m.timers[k-1].due.After(due) {
			k--
		}
		m.timers = slices.Insert(m.timers, k, running{due, &expiry{of: m.id, message: t.Message, cause: cause}})
		c.own.Add(1)
		var timer *time.Timer
		timer = time.AfterFunc(t.After, func() {
			defer c.own.Done()
			r := c.newRunner()
			c.mu.Lock()
			delete(c.pending, timer)
			first := m.timers[0].expiry
			m.timers = slices.Delete(m.timers, 0, 1)
			r.post(m, user, first, 0) // before the next one is
			c.mu.Unlock()
			r.runAll()
		})
		c.pending[timer] = true
	}
}

// forward handles e, which m has received from node from: it sends e on, or reports that
// e is back from all nodes. r must own m.
func (r *runner) forward(e *expiry, m *member, from ID) bool {
	switch {
	case from == user: // it has just expired
		e.out = len(r.cluster.members) - 1
		for k := range r.cluster.members {
			if to := &r.cluster.members[k]; to != m {
				r.post(to, m.id, e, 0)
			}
		}
	case e.of == m.id:
		e.out--
	default:
		r.post(&r.cluster.members[e.of], m.id, e, 0)
		return false
	}
	return e.out == 0
}
