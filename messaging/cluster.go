package messaging

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/seam"
)

// ErrClosed is returned to callers that wait for a cluster that is closed. If it has
// closed itself, because a node has [Removed] another that lives, the error wraps
// ErrClosed and names both.
var ErrClosed = errors.New("messaging: the cluster is closed")

// A Cluster runs the nodes of an algorithm in this process. It is a mutex.Mutex,
// and a mutex.Abortable, of which node i is process i; [Cluster.Node] is a
// sync.Locker for any number of callers at one node.
//
// Nodes run concurrently, with one handler of a node at a time. A node is not a
// goroutine: a goroutine that sends a message to an idle node runs it, and one that
// sends to a node that is being run leaves the message in its mailbox. So an entry
// wakes no goroutine but the one that enters. Links are reliable and FIFO, mailboxes
// are unbounded, and a message that is not taken blocks nothing; a mailbox keeps the
// room that it once needed. Nothing is allocated for a link, so that nodes that never
// communicate cost nothing. A cluster that is used in a synctest bubble must have
// been made there.
//
// Nodes of a cluster do not crash; a handler that panics closes it. Nor are they
// suspected: a timer is delivered once what its node had sent when it expired is
// handled, and so is what was sent in return at once, however long that takes on a
// busy machine. So an algorithm that takes silence for a crash removes no node here.
// A node that emits [Removed] all the same is wrong, and the others would go on
// without one that may be inside: then the cluster closes itself at once, before any
// node enters by that removal, and Lock and TryLock panic, and LockContext returns an
// error, which name both nodes.
//
// In the terminology of the Go memory model, a call of Unlock is synchronized
// before the return of every later call of Lock, whichever the node.
type Cluster struct {
	members   []member
	observer  func(Event)
	scrambled bool
	unordered bool
	seed      uint64

	over    seam.Flag
	cause   string        // why, if not for Close; set before over
	done    chan struct{} // closed when it is over
	runners atomic.Uint64 // how many were made
	mu      seam.Mutex    // guards what follows, and over when it is set
	own     sync.WaitGroup
	pending map[*time.Timer]bool // those that are set; own counts them
}

// An Option changes what [NewCluster] makes.
type Option func(*Cluster)

// Observe has f called with every event, before its consequences. It is called
// concurrently by several goroutines, must not block for long, and must not use the
// cluster.
func Observe(f func(Event)) Option { return func(c *Cluster) { c.observer = f } }

// Seed seeds [Out.Choose]; without it the seed is 0.
func Seed(seed uint64) Option { return func(c *Cluster) { c.seed = seed } }

// Scramble delays messages at random, so that those of different links overtake
// each other: for tests, since few messages do by themselves. It seeds as [Seed]
// does.
func Scramble(seed uint64) Option {
	return func(c *Cluster) { c.scrambled, c.seed = true, seed }
}

// Unordered is Scramble that has messages overtake each other on the same link,
// too: for algorithms that do not need FIFO links.
func Unordered(seed uint64) Option {
	return func(c *Cluster) { c.scrambled, c.unordered, c.seed = true, true, seed }
}

// maxNodes is more than a process has memory for with most algorithms.
const maxNodes = 1 << 20

// NewCluster returns a cluster of n nodes of a; node 0 is the holder. It panics
// unless 1 <= n <= 1<<20, and if a or an option is nil.
//
// A cluster must be closed if its algorithm sets timers, or goes on sending messages
// when no request is pending: a running timer references its cluster, and if its
// node sets the next one whenever one expires, the garbage collector never frees
// either. A cluster with no message in transit can be left to the collector.
func NewCluster(n int, a Algorithm, options ...Option) *Cluster {
	if n < 1 {
		panic(fmt.Sprintf("messaging: a cluster of %d nodes: it needs at least 1", n))
	}
	if n > maxNodes {
		panic(fmt.Sprintf("messaging: a cluster of %d nodes: it has at most %d", n, maxNodes))
	}
	c := &Cluster{members: make([]member, n), done: make(chan struct{}), pending: map[*time.Timer]bool{}}
	for k, o := range options {
		if o == nil {
			panic(fmt.Sprintf("messaging: option %d of a cluster is nil", k+1))
		}
		o(c)
	}
	for i := range c.members {
		m := &c.members[i]
		m.id = ID(i)
		m.site.init(a, Start{Self: m.id, Nodes: n}, c.chooser(i))
		m.runner = c.newRunner()
		m.answer = make(seam.Slot[answer], 1)
		m.locker = locker{cluster: c, node: i}
	}
	return c
}

// chooser returns the source of chance of node i, made when it is first used.
func (c *Cluster) chooser(i int) func(int) int {
	var r *rand.Rand
	return func(n int) int {
		if r == nil {
			r = rand.New(rand.NewPCG(c.seed, uint64(i)))
		}
		return r.IntN(n)
	}
}

// Processes returns the number of nodes.
func (c *Cluster) Processes() int { return len(c.members) }

// Lock takes node i into the critical section, and blocks until it is there. It
// is for one caller a node at a time: it panics if node i waits or is inside. It
// also panics if the cluster is closed, or is closed while it waits, for it cannot
// return an error.
func (c *Cluster) Lock(i int) {
	m, err := c.begin(i, byNumber)
	if err == nil {
		c.submit(m, request)
		err = m.take(m.answer.Receive())
	}
	if err != nil {
		panic(c.lockOfClosed(i))
	}
}

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err(); nil
// means that node i is inside. It returns ErrClosed, or an error that wraps it, if
// the cluster is closed, or is closed while it waits. A request that the algorithm
// cannot withdraw is absorbed: node i leaves at once when it is granted, and a call
// that comes before that takes the request over. It panics as Lock does if node i
// waits or is inside, and if ctx is nil.
func (c *Cluster) LockContext(ctx context.Context, i int) error {
	mustContext(ctx, i)
	return c.lockContext(ctx, i, byNumber)
}

func (c *Cluster) lockContext(ctx context.Context, i int, by uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := c.begin(i, by)
	if err != nil {
		return err
	}
	c.submit(m, request)
	if a, ok := m.answer.ReceiveOr(ctx.Done()); ok {
		return m.take(a)
	}
	if err := c.giveUp(m); !errors.Is(err, errWithdrawn) {
		return err // nil, if the entry and the end of ctx came together
	}
	return ctx.Err()
}

func mustContext(ctx context.Context, i int) {
	if ctx == nil {
		panic(fmt.Sprintf("messaging: lock of node %d with a nil context: context.Background() never ends", i))
	}
}

// TryLock takes node i into the critical section if that needs no waiting but for
// messages that this call delivers itself, and reports whether it did. If another
// caller is running node i, it waits until that one has handled it, but for no
// critical section. It fails if the cluster was closed by Close, and panics as Lock
// does if node i waits or is inside, or the cluster has closed itself.
func (c *Cluster) TryLock(i int) bool { return c.tryLock(i, byNumber) }

func (c *Cluster) tryLock(i int, by uint64) bool {
	m, err := c.begin(i, by)
	if err != nil {
		if c.cause != "" {
			panic(c.lockOfClosed(i)) // a caller that only tries would not learn of it
		}
		return false
	}
	c.submit(m, request)
	if a, ok := m.answer.Poll(); ok {
		return m.take(a) == nil
	}
	return c.giveUp(m) == nil
}

// Unlock takes node i out of the critical section. It panics if node i is not
// inside. If it was locked by its [Locker], the next caller of that has its turn. In a
// closed cluster it does nothing else.
func (c *Cluster) Unlock(i int) {
	m := c.member("unlock", i)
	turn := false
	if !m.user.CompareAndSwap(byNumber, leaving) {
		if turn = m.user.CompareAndSwap(byLocker, leaving); !turn {
			panic(fmt.Sprintf("messaging: unlock of node %d, which is not inside", i))
		}
	}
	c.submit(m, release)
	m.user.Store(outside)
	if turn {
		m.locker.passTurn()
	}
}

// Close stops the cluster. Callers that wait in it get ErrClosed, or panic if they
// wait in Lock; so do later callers. Running timers, which reference the cluster,
// are stopped. Close returns when no goroutine of the cluster is left. It does not
// wait for a node that is inside, nor for callers that are leaving: a handler or an
// observer may still be running in their goroutines. Further calls only wait for
// the same.
func (c *Cluster) Close() {
	c.mustExist("close")
	c.stop("")
	c.own.Wait()
}

// stop stops the cluster, for that cause if it is not the user's own will.
func (c *Cluster) stop(cause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cause != "" && !c.over.Load() {
		c.cause = cause
	}
	if !c.over.CompareAndSwap(false, true) {
		return
	}
	seam.Close(c.done)
	for t := range c.pending {
		if t.Stop() {
			c.own.Done()
		}
	}
	for k := range c.members {
		c.members[k].reply(clusterClosed)
	}
}

func (c *Cluster) member(what string, i int) *member {
	c.mustExist(what)
	if i < 0 || i >= len(c.members) {
		panic(fmt.Sprintf("messaging: %s of node %d: the nodes are 0 to %d", what, i, len(c.members)-1))
	}
	return &c.members[i]
}

func (c *Cluster) mustExist(what string) {
	if c.members == nil {
		panic(fmt.Sprintf("messaging: %s of a zero Cluster: only NewCluster returns a Cluster", what))
	}
}

// closed returns the error of callers that want to enter when the cluster is over.
func (c *Cluster) closed() error {
	if c.cause == "" {
		return ErrClosed
	}
	return fmt.Errorf("%w: %s", ErrClosed, c.cause)
}

// lockOfClosed is what a Lock panics with that cannot return an error.
func (c *Cluster) lockOfClosed(i int) string {
	s := fmt.Sprintf("messaging: lock of node %d of a cluster that is closed", i)
	if c.cause != "" {
		s += ": " + c.cause
	}
	return s
}

// begin returns node i, which its caller wants to enter, or an error if the cluster
// is closed.
func (c *Cluster) begin(i int, by uint64) (*member, error) {
	m := c.member("lock", i)
	if c.over.Load() { // first, for a panic may have left the node on its way in
		return nil, c.closed()
	}
	if !m.user.CompareAndSwap(outside, entering) {
		panic(fmt.Sprintf("messaging: lock of node %d, which waits, is inside or is leaving", i))
	}
	m.by = by
	return m, nil
}

// submit has node m do what its user wants, and runs what follows from it. If that
// takes long, because others keep adding to it, a goroutine goes on.
func (c *Cluster) submit(m *member, what command) {
	if c.over.Load() {
		return
	}
	r := m.runner
	r.post(m, user, what)
	if !r.run(turnsPerCall) {
		m.runner = c.newRunner()
		c.spawn(r.runAll)
	}
}

// giveUp aborts the request of node m, unless it is inside by now: then it returns nil.
func (c *Cluster) giveUp(m *member) error {
	c.submit(m, withdraw)
	return m.take(m.answer.Receive())
}

// spawn runs f in a goroutine that Close waits for; not in a cluster that is closed.
func (c *Cluster) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over.Load() {
		c.own.Go(f)
	}
}
