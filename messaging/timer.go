package messaging

import "time"

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

// setTimer starts timer t of node m, which sets it on the event of that number.
func (c *Cluster) setTimer(m *member, t Timer, cause uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return
	}
	c.own.Add(1)
	var timer *time.Timer
	timer = time.AfterFunc(t.After, func() {
		defer c.own.Done()
		c.mu.Lock()
		delete(c.pending, timer)
		c.mu.Unlock()
		r := c.newRunner()
		r.post(m, user, &expiry{of: m.id, message: t.Message, cause: cause}, 0)
		r.runAll()
	})
	c.pending[timer] = true
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
