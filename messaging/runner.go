package messaging

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"example.org/doorway/internal/seam"
)

// A runner runs nodes, in the goroutine of a caller or in one of the cluster. It
// owns the nodes in its list, and no other runner touches these.
//
// Links are FIFO: the owner of the sender puts all that it has sent into the
// mailboxes of the receivers before it delivers anything else to the sender. A
// mailbox has two parts, the queue of the owner and the inbox for all others. If
// the owner of a receiver comes to own the sender too, then what earlier owners of
// the sender have left in the inbox goes to the queue first.
type runner struct {
	cluster *Cluster
	number  uint64        // from 1; no two of a cluster ever have the same
	ready   fifo[*member] // those it owns and has not run yet
	effects Effects       // of the node that it runs
	acting  *member       // the node whose handler runs
	before  Phase         // the last phase of its site that was told
	halted  bool          // one of its nodes has removed another that lives
	chance  *rand.Rand    // nil: messages are delivered as they come
}

// turnsPerCall is how many activations of nodes a caller makes for others before a
// goroutine of the cluster goes on: some 10 µs.
const turnsPerCall = 256

func (c *Cluster) newRunner() *runner {
	r := &runner{cluster: c, number: c.runners.Add(1)}
	r.effects.runner = r
	if c.scrambled {
		r.chance = rand.New(rand.NewPCG(c.seed, r.number))
	}
	return r
}

// post puts a message into the mailbox of m. r owns the sender.
func (r *runner) post(m *member, from ID, message Message) {
	if m.owner.Load() != r.number && !r.adopt(m) {
		r.leave(m, delivery{from, message})
		return
	}
	if m.posted.Load() {
		m.collect()
	}
	m.queue.push(delivery{from, message})
}

// adopt takes m into the list if it is at rest, and reports whether it was.
func (r *runner) adopt(m *member) bool {
	if !m.owner.CompareAndSwap(0, r.number) {
		return false
	}
	seam.Acquired(m)
	r.ready.push(m)
	return true
}

// leave leaves d to the owner of m.
func (r *runner) leave(m *member, d delivery) {
	m.mu.Lock()
	m.inbox.Add(d)
	m.posted.Store(true)
	m.mu.Unlock()
	r.adopt(m) // in case that its owner has let go of it meanwhile
}

// runAll runs the nodes of the list until it is empty.
func (r *runner) runAll() {
	for !r.run(turnsPerCall) {
		runtime.Gosched()
	}
}

// run runs the nodes of the list until it is empty, and returns true then; or
// false after so many activations. If a node panics, the cluster is over.
func (r *runner) run(activations int) bool {
	returned := false
	defer func() {
		if !returned {
			r.cluster.stop("")
		}
	}()
	for ; r.ready.len > 0 && activations > 0; activations-- {
		if r.cluster.over.Load() {
			r.ready = fifo[*member]{}
			break
		}
		r.activate()
	}
	returned = true
	return r.ready.len == 0
}

// activate delivers what is in the mailbox of the next node, and lets go of it.
func (r *runner) activate() {
	m := r.pick()
	if m.posted.Load() {
		m.collect()
	}
	n := m.queue.len // 0, if the last owner has collected what r left there
	if r.chance != nil && n > 0 {
		r.deliver(m, r.draw(&m.queue))
		n = 0
	}
	for ; n > 0; n-- {
		r.deliver(m, m.queue.pop())
	}
	if m.queue.len > 0 {
		r.ready.push(m)
		return
	}
	// A runner that posts looks for an owner afterwards, and the owner looks for
	// posts after it has let go: one of them finds what the other has done.
	seam.Released(m)
	m.owner.Store(0)
	if m.posted.Load() {
		r.adopt(m)
	}
}

// deliver hands d to node m. What m sends goes to the mailboxes of the receivers at
// once, see send.
func (r *runner) deliver(m *member, d delivery) {
	if e, ok := d.message.(*expiry); ok {
		if !r.forward(e, m, d.from) {
			return
		}
		d = delivery{m.id, e.message}
	}
	r.acting, r.before = m, m.site.phase
	if m.site.Effects != &r.effects {
		m.site.Effects = &r.effects
	}
	if d.from == user {
		m.do(d.message.(command))
	} else {
		r.see(Delivered, m.id, d.from, d.message)
		m.site.receive(d.from, d.message)
	}
	if m.site.phase != r.before {
		r.cross(m)
	}
	if m.site.acted() {
		r.carryOut(m)
	}
}

// send posts what the node that acts sends. The observer learns first that the node
// has entered or left: others may enter for that.
func (r *runner) send(to ID, message Message) {
	m := r.acting
	if m.site.phase != r.before && !m.site.absorbed { // else nobody comes in, and the site leaves at once
		r.cross(m)
	}
	r.see(Sent, m.id, to, message)
	r.post(&r.cluster.members[to], m.id, message)
}

func (r *runner) carryOut(m *member) {
	for _, v := range m.site.Emits {
		r.see(Emitted, m.id, m.id, v)
	}
	for _, t := range m.site.Timers {
		r.cluster.setTimer(m, t)
	}
	m.site.Done()
}

// removes stops the cluster, in which no node crashes, when the node that acts has
// taken another for crashed: no node enters any more.
func (r *runner) removes(j ID) {
	r.halted = true
	r.cluster.stop(fmt.Sprintf("node %d has removed node %d as crashed, and it lives", r.acting.id, j))
}

// cross tells the observer and the user when the node has come in or gone out.
func (r *runner) cross(m *member) {
	before, after := r.before, m.site.phase
	r.before = after
	if r.halted {
		return // what it has entered by is wrong
	}
	switch {
	case after == Inside:
		r.see(Entered, m.id, m.id, nil)
		m.reply(entered)
	case before == Inside:
		r.see(Left, m.id, m.id, nil)
	}
}

// see tells the observer.
func (r *runner) see(what Action, node, peer ID, m Message) {
	if f := r.cluster.observer; f != nil {
		f(Event{what, node, peer, m})
	}
}

// pick takes a node from the list: the next, or any.
func (r *runner) pick() *member {
	if r.chance != nil {
		return r.ready.remove(r.chance.IntN(r.ready.len))
	}
	return r.ready.pop()
}

// draw takes a message out of a mailbox at random: of any link the first, or any
// if links are not FIFO. It first lets others run now and then, so that there is
// something to draw from. What the user wants is always in order.
func (r *runner) draw(q *fifo[delivery]) delivery {
	if r.chance.IntN(4) == 0 {
		runtime.Gosched()
	}
	k := r.chance.IntN(q.len)
	_, expired := q.at(k).message.(*expiry) // overtakes nothing
	if from := q.at(k).from; from == user || expired || !r.cluster.unordered {
		k = first(q, from)
	}
	return q.remove(k)
}

// first returns where the first message of a sender is; there must be one.
func first(q *fifo[delivery], from ID) int {
	k := 0
	for q.at(k).from != from {
		k++
	}
	return k
}
