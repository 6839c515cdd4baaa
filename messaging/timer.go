package messaging

import "time"

// An expiry is a timer that has run out, on its way. It goes from its node to every
// other and back, as a message of these links that no node sees, and is delivered
// when it is back from all.
//
// So it comes behind all that its node had sent when the timer ran out, and behind
// what the receivers have sent in return at once. To nodes, silence from one timer to
// the next means what it means where messages have a bound: there is no answer. Were
// a timer delivered when it runs out, then a node that is merely slow, for it has no
// processor, or the collector runs, would be taken for crashed.
type expiry struct {
	of      ID
	message Message
	out     int // how many are not back; belongs to the owner of the node
}

// setTimer has t go off when t.After has passed.
func (c *Cluster) setTimer(m *member, t Timer) {
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
		r.post(m, user, &expiry{of: m.id, message: t.Message})
		r.runAll()
	})
	c.pending[timer] = true
}

// forward sends e on from m, which has received it from that node, and reports
// whether e is back from all. r owns m.
func (r *runner) forward(e *expiry, m *member, from ID) bool {
	switch {
	case from == user: // it has just run out
		e.out = len(r.cluster.members) - 1
		for k := range r.cluster.members {
			if to := &r.cluster.members[k]; to != m {
				r.post(to, m.id, e)
			}
		}
	case e.of == m.id:
		e.out--
	default:
		r.post(&r.cluster.members[e.of], m.id, e)
		return false
	}
	return e.out == 0
}
