package messaging

import (
	"errors"

	"example.org/doorway/internal/seam"
)

// A member is a node of a cluster and its mailbox. What is touched for each
// message fills its first two cache lines.
type member struct {
	owner seam.Number // the runner that runs the node; 0: it is at rest

	// posted is set while inbox has something. Other runners than the owner put it
	// there; each makes sure that the node has an owner afterwards.
	posted seam.Flag

	// These belong to the owner.
	queue fifo[delivery]
	id    ID // which never changes
	site  Site

	_     [8]byte
	mu    seam.Mutex
	inbox seam.Mailbox[delivery]

	// These belong to the user of the node, one at a time.
	user   seam.Number       // outside, entering, byNumber, byLocker or leaving
	by     uint64            // what user is once inside
	answer seam.Slot[answer] // to the user that is entering
	runner *runner           // with which the user runs nodes
	locker locker
	_      [72]byte
}

// What the user of a node is at.
const (
	outside uint64 = iota
	entering
	byNumber // inside, by a method of Cluster
	byLocker // inside, by one of its Locker
	leaving  // its Unlock still uses its runner
)

// A delivery is a message on its way into a node.
type delivery struct {
	from    ID // user: the message is a command
	message Message
}

// user is where commands come from.
const user ID = -1

// A command is what the user of a node wants it to do.
type command uint8

const (
	request command = iota
	release
	withdraw
)

// An answer is what becomes of a request.
type answer uint8

const (
	entered answer = iota
	withdrawn
	clusterClosed
)

// errWithdrawn is what take makes of withdrawn.
var errWithdrawn = errors.New("messaging: withdrawn")

// take takes note of the answer to the user, which is nil if it is inside.
func (m *member) take(a answer) error {
	switch a {
	case entered:
		m.user.Store(m.by)
		return nil
	case withdrawn:
		m.user.Store(outside)
		return errWithdrawn
	default:
		m.user.Store(outside)
		return m.locker.cluster.closed()
	}
}

// reply answers the user. There is never a second answer to a request, but when
// the cluster is closed: then the first counts.
func (m *member) reply(a answer) { m.answer.Offer(a) }

// collect moves what others have left in the inbox to the queue of the owner.
func (m *member) collect() {
	m.mu.Lock()
	posts := m.inbox.Take()
	for _, d := range posts {
		m.queue.push(d)
	}
	clear(posts) // so that messages can be collected
	m.posted.Store(false)
	m.mu.Unlock()
}

// do has the node do what its user wants. A user that aborts is answered by
// withdrawn, unless it is inside by now: then entered is on its way.
func (m *member) do(what command) {
	switch what {
	case request:
		m.site.Request()
	case release:
		m.site.Release()
	case withdraw:
		if m.site.Phase() == Waiting {
			m.site.Withdraw()
			m.reply(withdrawn)
		}
	}
}
