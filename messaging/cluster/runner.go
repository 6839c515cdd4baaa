package cluster

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// A runner runs nodes, in the goroutine of a caller or in one of the cluster. It
// owns the nodes in its list, which no other runner accesses.
//
// Links are FIFO: the owner of the sender puts all messages of a handler into the
// mailboxes of the receivers before it delivers anything else to the sender. A
// mailbox has two parts, the queue of the owner and the inbox for all others. If the
// owner of a receiver then owns the sender too, it first moves to the queue what
// earlier owners of the sender have left in the inbox.
type runner struct {
	cluster *Cluster
	number  uint64          // from 1; unique in the cluster
	ready   fifo[*member]   // the nodes that it owns and has not run yet
	effects host.Effects    // of the node that it runs
	acting  *member         // the node whose handler runs
	before  messaging.Phase // the last phase of its site that was reported
	cause   uint64          // the number of the event that its handler handles, if there is an observer
	halted  bool            // one of its nodes has removed a live one
	crashed *member         // the node of whose crash the acting one is told; nil: of none
	chance  *rand.Rand      // nil: messages are delivered in the order of arrival
}

// deliveriesPerCall returns how many messages a caller delivers for others before a
// goroutine of the cluster takes over: enough for an uncontended entry of most algorithms,
// so that TryLock succeeds without that goroutine, and at n = 200 some 100 µs.
func deliveriesPerCall(n int) int { return 256 + 4*n }

func (c *Cluster) newRunner() *runner {
	r := &runner{cluster: c, number: c.runners.Add(1)}
	r.effects.Immediate = (*immediate)(r)
	if c.scrambled {
		r.chance = rand.New(rand.NewPCG(c.seed, r.number))
	}
	return r
}

// post puts d into the mailbox of m. r must own the sender.
func (r *runner) post(m *member, d delivery) {
	if m.owner.Load() != r.number && !r.adopt(m) {
		r.deposit(m, d)
		return
	}
	if m.posted.Load() {
		m.collect()
	}
	m.queue.push(d)
}

// adopt adds m to the list if it is idle, and reports whether it was.
func (r *runner) adopt(m *member) bool {
	if !m.owner.CompareAndSwap(0, r.number) {
		return false
	}
	r.ready.push(m)
	return true
}

// deposit leaves d in the inbox of m, for its owner.
func (r *runner) deposit(m *member, d delivery) {
	m.mu.Lock()
	m.inbox = append(m.inbox, d)
	m.posted.Store(true)
	m.mu.Unlock()
	r.adopt(m) // in case its owner has released it meanwhile
}

// runAll runs nodes until the list is empty.
func (r *runner) runAll() {
	for !r.run(deliveriesPerCall(len(r.cluster.members))) {
		runtime.Gosched()
	}
}

// run runs nodes until the list is empty or that many messages are delivered, and reports
// whether the list is empty. If a node panics, run stops the cluster.
func (r *runner) run(deliveries int) bool {
	returned := false
	defer func() {
		if !returned {
			r.cluster.stop("")
		}
	}()
	for r.ready.len > 0 && deliveries > 0 {
		if r.cluster.over.Load() {
			r.ready = fifo[*member]{}
			break
		}
		deliveries -= r.activate(deliveries)
	}
	returned = true
	return r.ready.len == 0
}

// activate delivers the messages in the mailbox of the next node, at most so many, and
// releases the node. It returns how many it delivered, or 1 if there were none.
func (r *runner) activate(most int) int {
	m := r.pick()
	if m.posted.Load() {
		m.collect()
	}
	n := min(m.queue.len, most) // 0 if the last owner has collected what r left there
	if r.chance != nil && n > 0 {
		n = 1
		r.deliver(m, r.draw(&m.queue))
	} else {
		for range n {
			r.deliver(m, m.queue.pop())
		}
	}
	if m.queue.len > 0 {
		r.ready.push(m)
		return n
	}
	// A runner that posts checks for an owner afterwards, and the owner checks for
	// posts after it has released the node: at least one sees the other's write.
	m.owner.Store(0)
	if m.posted.Load() {
		r.adopt(m)
	}
	return max(n, 1)
}

// deliver delivers d to node m. What m sends goes to the mailboxes of the receivers at
// once; see send.
func (r *runner) deliver(m *member, d delivery) {
	what := action.Delivered
	if e, ok := d.message.(*expiry); ok {
		if !r.forward(e, m, d.from) {
			return
		}
		d, what = delivery{m.id, e.message, e.cause}, action.Expired
	}
	r.acting, r.before = m, m.site.Phase()
	if m.site.Effects != &r.effects {
		m.site.Effects = &r.effects
	}
	switch {
	case m.crashing.Load():
		r.lose(m, d)
	case d.from == user:
		r.do(m, d.message)
	default:
		if n, ok := d.message.(notice); ok {
			r.notify(m, d.from, n)
			break
		}
		r.cause = r.see(d.cause, what, d.from, m.id, d.message)
		m.site.Deliver(d.from, d.message)
	}
	if m.site.Phase() != r.before {
		r.cross(m)
	}
	if m.site.Acted() {
		r.carryOut(m)
	}
	if d.from == user && m.crash.stopping != nil {
		r.stopIfIdle(m)
	}
}

// An immediate is the part of a runner that its nodes call.
type immediate runner

// Entry counts an entry by the one clock of the cluster. All entries have been witnessed by every node: the clock needs not
// be carried, also where nodes learn of entries without a message, such as by silence, from a detector of crashes or from a
// user.
func (i *immediate) Entry() uint64 { return i.cluster.entries.Add(1) }

// Send posts a message of the acting node. First it reports an entry or exit of that
// node to the observer, since another node may enter because of the message.
func (i *immediate) Send(to messaging.ID, message messaging.Message) {
	r := (*runner)(i)
	m := r.acting
	if m.site.Phase() != r.before && !m.site.Absorbs() { // else the entry is absorbed
		r.cross(m)
	}
	r.post(&r.cluster.members[to], delivery{m.id, message, r.see(r.cause, action.Sent, m.id, to, message)})
}

func (r *runner) carryOut(m *member) {
	for _, v := range m.site.Emits {
		r.see(r.cause, action.Emitted, m.id, m.id, v)
	}
	if len(m.site.Timers) > 0 {
		r.cluster.setTimers(m, m.site.Timers, r.cause)
	}
	m.site.Done()
}

// Removes stops the cluster when the acting node has removed node j, which is live: no node
// enters after that. The removal is right if j is down, though it may be starting again by now:
// if the acting node is told of that crash, or was not told because j had restarted, but has
// noticed the silence.
func (i *immediate) Removes(j messaging.ID) {
	r := (*runner)(i)
	if all := r.cluster.members; j >= 0 && int(j) < len(all) {
		missed := r.acting.crash.missed.Has(j)
		r.acting.crash.missed.Remove(j)
		if missed || r.crashed == &all[j] || all[j].isDown() {
			return
		}
	}
	r.halted = true
	r.cluster.stop(fmt.Sprintf("node %d removed node %d as crashed, but it is live", r.acting.id, j))
}

// cross reports an entry or exit of the acting node to the observer, and an entry to the
// user.
func (r *runner) cross(m *member) {
	before, after := r.before, m.site.Phase()
	r.before = after
	if r.halted {
		return // it may have entered by a wrong removal
	}
	switch {
	case after == messaging.Inside:
		m.since = r.see(r.cause, action.Entered, m.id, m.id, nil)
		m.reply(entered)
	case before == messaging.Inside:
		r.cause = r.see(m.since, action.Left, m.id, m.id, nil)
	case before == messaging.Absorbing && after == messaging.Idle:
		r.cause = r.see(r.cause, action.Passed, m.id, m.id, nil)
	}
}

// see calls the observer, if any, and returns the number of the event; otherwise 0.
func (r *runner) see(cause uint64, action string, from, to messaging.ID, m messaging.Message) (number uint64) {
	c := r.cluster
	if c.observer == nil {
		return 0
	}
	number = c.events.Add(1)
	c.observer(messaging.Event{
		Number: number, Cause: cause, At: time.Since(c.begun), Action: action, From: from, To: to, Message: host.Copied(m),
	})
	return number
}

// pick removes the next node from the list, or a random one.
func (r *runner) pick() *member {
	if r.chance != nil {
		return r.ready.remove(r.chance.IntN(r.ready.len))
	}
	return r.ready.pop()
}

// draw removes a random message from a mailbox: the first of a link, or any if links
// are not FIFO. Commands of the user are always in order.
func (r *runner) draw(q *fifo[delivery]) delivery {
	k := r.chance.IntN(q.len)
	_, expired := q.at(k).message.(*expiry) // must not overtake
	if from := q.at(k).from; from == user || expired || !r.cluster.unordered || noticed(q, k) {
		k = first(q, from)
	}
	return q.remove(k)
}

// first returns the index of the first message of a sender; there must be one.
func first(q *fifo[delivery], from messaging.ID) int {
	k := 0
	for q.at(k).from != from {
		k++
	}
	return k
}

// noticed reports whether message k is a notice or follows one on its link: nothing overtakes a
// notice, nor does a notice overtake anything.
func noticed(q *fifo[delivery], k int) bool {
	for l := range k + 1 {
		if _, is := q.at(l).message.(notice); is && q.at(l).from == q.at(k).from {
			return true
		}
	}
	return false
}
