package cluster

import (
	"reflect"
	"sync"
	"sync/atomic"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// A member is a node of a cluster and its mailbox. Its first two cache lines hold the
// fields that are used for each message.
type member struct {
	owner atomic.Uint64 // the runner that runs the node; 0: it is idle

	// posted is set while inbox is not empty. Runners other than the owner fill it;
	// each ensures that the node has an owner afterwards.
	posted atomic.Bool

	// crashing is set while the node is down, and when it is to crash before the next message.
	crashing atomic.Bool

	// These belong to the owner.
	queue fifo[delivery]
	id    messaging.ID // constant
	site  host.Site

	life   atomic.Uint64 // how often the node has crashed and restarted: odd while it is down; written by the owner
	served uint64        // requests of the user that the node has handled
	since  uint64        // the number of its last request, entry or crash, if there is an observer
	crash  crashState
	mu     sync.Mutex
	inbox  []delivery

	// These belong to the user of the node, one at a time.
	user   atomic.Uint64 // outside, entering, byNumber, byLocker or leaving
	by     uint64        // the value of user once inside
	asked  uint64        // requests of the user
	epoch  atomic.Uint64 // of the token of the user that is inside
	count  atomic.Uint64 // likewise
	answer chan answer   // to the user that is entering
	runner *runner       // used by the user to run nodes
	timers []running     // in the order of expiry; guarded by the mutex of the cluster
	locker locker
	class  reflect.Type // of the node, if it is no Exclusion; otherwise nil
	_      [64]byte
}

// The states of the user of a node.
const (
	outside uint64 = iota
	entering
	byNumber // inside, by a method of Cluster
	byLocker // inside, by a method of its Locker
	leaving  // Unlock still uses the runner
)

// A delivery is a message in the mailbox of a node.
type delivery struct {
	from    messaging.ID // user: the message is a command or an input
	message messaging.Message
	cause   uint64 // the number of the event that sent it, if there is an observer
}

// user is the sender of commands and inputs.
const user messaging.ID = -1

// An input is a message that a node gets from its user.
type input struct{ message messaging.Message }

// A command is an operation that the user of a node invokes, or New.
type command uint8

const (
	start command = iota
	request
	release
	withdraw
	abandon // by a user that does not await the outcome

	// Of faults.
	crash
	restart
	stop
	stay // no longer stop
)

// An answer is the outcome of a request.
type answer struct {
	number uint64 // which request of the user; that of clusterClosed is 0
	what   outcome
	token  messaging.Token // of the entry
}

type outcome uint8

const (
	entered outcome = iota
	withdrawn
	nodeDown
	clusterClosed

	// Of faults.
	wasUp // and so cannot restart
	stays // and does not stop
)

// take records the answer to a user that has not withdrawn, and returns nil if that is inside.
func (m *member) take(a answer) error {
	if a.what == entered {
		if m.epoch.Load() != a.token.Epoch {
			m.epoch.Store(a.token.Epoch)
		}
		m.count.Store(a.token.Count)
		m.user.Store(m.by)
		return nil
	}
	m.user.Store(outside)
	if a.what == nodeDown {
		return ErrDown
	}
	return m.locker.cluster.closed()
}

// reply answers the request of the user that the node handles. There is a second answer to
// a request only when the cluster is closed; then that one counts.
func (m *member) reply(what outcome) { offer(m.answer, answer{m.served, what, m.site.Token()}) }

// close answers that the cluster is closed, in place of any other answer: one to an
// abandoned request would keep it out, and the user would wait forever.
func (m *member) close() {
	for !offer(m.answer, answer{what: clusterClosed}) {
		poll(m.answer)
	}
}

// receive awaits the outcome of the latest request of the user.
func (m *member) receive() answer {
	for {
		if a := <-m.answer; m.latest(a) {
			return a
		}
	}
}

// receiveOr is receive that returns false if done is closed first.
func (m *member) receiveOr(done <-chan struct{}) (a answer, ok bool) {
	for {
		select {
		case a = <-m.answer:
		case <-done:
			return a, false
		}
		if m.latest(a) {
			return a, true
		}
	}
}

// latest reports whether a is of the latest request, not of one that was abandoned.
func (m *member) latest(a answer) bool { return a.number == m.asked || a.what == clusterClosed }

// collect moves the contents of the inbox to the queue of the owner.
func (m *member) collect() {
	m.mu.Lock()
	for k, d := range m.inbox {
		m.queue.push(d)
		m.inbox[k] = delivery{} // for the garbage collector
	}
	m.inbox = m.inbox[:0]
	m.posted.Store(false)
	m.mu.Unlock()
}

// do carries out what the user of m wants.
func (r *runner) do(m *member, what any) {
	switch what := what.(type) {
	case input:
		r.cause = r.see(0, action.Input, m.id, m.id, what.message)
		m.site.Deliver(m.id, what.message)
	case command:
		r.obey(m, what)
	case *fault:
		r.strike(m, what)
	}
}

// obey executes a command of the user of m. A user that aborts gets withdrawn, unless it is
// inside by now: then entered has been or will be sent. A request that was abandoned may
// have left its answer, which would keep out the next one.
func (r *runner) obey(m *member, what command) {
	switch what {
	case start:
		r.cause = r.see(0, action.Started, m.id, m.id, nil)
		m.site.Start()
	case request:
		m.serve()
		m.since = r.see(0, action.Requested, m.id, m.id, nil)
		r.cause = m.since
		m.site.Request()
	case release:
		if !m.crash.release() {
			m.site.Release()
		}
	case withdraw:
		if m.site.Phase() == messaging.Waiting {
			r.cause = r.see(m.since, action.GaveUp, m.id, m.id, nil)
			m.site.Withdraw()
			m.reply(withdrawn)
		}
	case abandon:
		switch {
		case m.crash.release():
		case m.site.Phase() == messaging.Waiting:
			r.cause = r.see(m.since, action.GaveUp, m.id, m.id, nil)
			m.site.Withdraw()
		case m.site.Phase() == messaging.Inside:
			m.site.Release()
		}
	}
}

// serve begins to handle a request: an answer that is left is of an abandoned one.
func (m *member) serve() {
	if a, ok := poll(m.answer); ok && a.what == clusterClosed {
		offer(m.answer, a)
	}
	m.served++
}

// offer puts v into a channel, unless it is full, and reports whether it did.
func offer[T any](c chan T, v T) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

// poll takes what is in a channel, if anything.
func poll[T any](c chan T) (v T, ok bool) {
	select {
	case v = <-c:
		return v, true
	default:
		return v, false
	}
}
